import type { Effect } from '../../contracts/effects.js';
import type { JsonObject } from '../../contracts/json.js';
import { unsaidSummary } from '../../definitions/default-summary.js';
import { schemaFiles } from '../../definitions/schemas/schema-files.js';
import { FileDraft, schemaFolder, schemaLine } from '../write-together.js';
import { flowYaml, indented } from '../write-yaml.js';
import { scaffoldedOf } from './plan-kind.js';
import {
  checkEnvironments,
  checkNewAbility,
  fileNameOf,
  needsApprovalFirst,
  renderCases,
  type Scaffold,
  type Site,
} from './scaffold.js';
import type { KindChoice } from './scaffolded.js';

export interface NewLowLevel {
  key: string;
  choice: KindChoice;
  summary?: string;
  effects?: Effect;
  scope: { modules?: string[]; environments?: string[] };
}

/** The comment after a default value of `effects`, which asks the author to check it. */
const REMARKS: Partial<Record<KindChoice['kind'], string>> = {
  script: '# the stub changes nothing; change this as soon as it does: it decides retries and approvals',
  mcp: '# the gravest, until a person has looked at what the tool does',
};

/** @throws AbilityError `scaffold.exists`, `environment.not_found`, and those of a kind. */
export function planLowLevel(site: Site, wanted: NewLowLevel): Scaffold {
  const { key, choice, scope } = wanted;
  const kind = scaffoldedOf(choice);
  const { isStub } = kind;
  checkNewAbility(site.registry, key);
  checkEnvironments(site.registry, scope.environments ?? []);
  const draft = new FileDraft(site.registry.root);
  const { registry } = site.folders;
  const stem = `${registry}/low-level/${fileNameOf(key)}`;
  const file = `${stem}.yaml`;
  const title = wanted.summary ?? unsaidSummary(key);
  const effects = wanted.effects ?? kind.effects(choice);
  const contract = contractOf(choice);
  const remark = wanted.effects === undefined ? (REMARKS[choice.kind] ?? '') : '';
  const section = kind.plan(draft, site, choice, {
    id: key,
    operation: key,
    title,
    answer: { echo: ['message'], fixed: {} },
    effects,
  });
  draft.add(
    file,
    `${schemaLine({ kind: 'low-level', path: file, registry })}
operation_key: ${key}
version: 1
summary: ${flowYaml(title)}
effects: ${effects}${remark && `   ${remark}`}
${Object.keys(scope).length > 0 ? `scope: ${flowYaml(scope)}\n` : ''}${contract.yaml}
implementation:
${indented(section)}
`,
  );
  const cases = `${stem}.test.yaml`;
  draft.add(
    cases,
    renderCases(site, {
      ability: key,
      path: cases,
      name: isStub ? 'it gives back what it was given' : 'it returns what the service answers',
      input: contract.sample,
      mocks: { run: isStub ? { live: true } : { output: { ok: true } } },
      approvals: needsApprovalFirst(site, effects) ? ['run'] : [],
      expect: { output: isStub ? contract.sample : { ok: true } },
    }),
  );
  return {
    files: draft.files(),
    abilities: [key],
    notes: [],
    next: nextOf(site, key, contract.sample),
  };
}

function contractOf(choice: KindChoice): { yaml: string; sample: JsonObject } {
  if (scaffoldedOf(choice).isStub) {
    return {
      yaml: `input_schema:
  type: object
  properties:
    message: { type: string, default: Hello }
output_schema:
  type: object
  required: [message]
  properties:
    message: { type: string }`,
      sample: { message: 'Hello' },
    };
  }
  const names = scaffoldedOf(choice).inputs(choice);
  if (names.length === 0) return { yaml: 'input_schema: { type: object }', sample: {} };
  const properties = names.map((name) => `    ${flowYaml(name)}: { type: string }`).join('\n');
  return {
    yaml: `input_schema:\n  type: object\n  required: ${flowYaml(names)}\n  properties:\n${properties}`,
    sample: Object.fromEntries(names.map((name) => [name, 'example'])),
  };
}

function nextOf({ environment }: Site, key: string, sample: JsonObject): Scaffold['next'] {
  const set = Object.entries(sample).map(([name, value]) => ` --set ${name}=${String(value)}`);
  return [
    { command: `ability test ${key}`, purpose: 'run its case' },
    { command: `ability run ${key}${set.join('')} --env ${environment}`, purpose: 'run it' },
    { command: 'ability lint', purpose: 'see what does not hold' },
    { command: `ability show ${key} --env ${environment}`, purpose: 'see how it is resolved' },
  ];
}

/** Plans to overwrite the project's generated JSON Schemas with those of this version. */
export function planSchemas({ registry, folders }: Site): Scaffold {
  const draft = new FileDraft(registry.root);
  for (const [name, text] of schemaFiles()) draft.edit(`${schemaFolder(folders.registry)}/${name}`, '', () => text);
  const files = draft.files();
  return {
    files,
    abilities: [],
    notes: files.length > 0 ? [] : ['The schemas are those of this version already.'],
    next:
      files.length === 0
        ? []
        : [{ command: 'ability lint', purpose: 'see whether the definitions hold under this version' }],
  };
}
