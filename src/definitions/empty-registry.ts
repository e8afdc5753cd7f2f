import { isJsonObject } from '../contracts/json.js';
import { AbilityError, type Problem } from '../contracts/problem.js';
import { type Checked, checkFormat } from './check-format.js';
import { project } from './formats/project.js';
import type { ReadFile } from './read-files.js';
import { PLACEMENT_RULES, type Registry } from './registry.js';
import { findUnsupported } from './unsupported.js';
import { isProblem, type YamlSource } from './yaml-source.js';

/**
 * The registry of a project in which nothing is defined yet.
 *
 * @throws AbilityError when `ability.yaml` is broken.
 */
export function emptyRegistry(root: string, file: ReadFile): Registry {
  const source = orThrow(file);
  const unsupported = findUnsupported('project', source);
  if (unsupported) throw new AbilityError(unsupported);
  const { checked, broken } = checkProject(source);
  if ('problems' in checked) throw new AbilityError(checked.problems[0] as Problem);
  const { environments, default_environment: preferred } = checked.value;
  if (preferred !== undefined && !Object.hasOwn(environments, preferred)) {
    throw new AbilityError({
      code: 'definition.unknown_reference',
      message: `\`default_environment\` names ${preferred}, which is not under \`environments\``,
      location: source.locate(['default_environment']),
    });
  }
  return {
    project: checked.value,
    root,
    locateInProject: source.locate,
    operations: new Map(),
    workflows: new Map(),
    agents: new Map(),
    implementations: new Map(),
    configs: new Map(),
    envProfiles: new Map(),
    mcpServers: new Map(),
    services: new Map(),
    hooks: new Map(),
    hookImpls: new Map(),
    modules: new Map(),
    capabilities: new Map(),
    packs: new Map(),
    broken: new Map(broken ? [[PLACEMENT_RULES, broken]] : []),
    opaque: [],
    problems: broken ? [broken] : [],
    digest: '',
  };
}

/** What `ability.yaml` says; in place of a `placement` that is none the built-in lists hold. Source: R-001-19, C-28. */
function checkProject(source: YamlSource): { checked: Checked<typeof project>; broken?: Problem } {
  const checked = checkFormat(project, source);
  const { value } = source;
  if (!('problems' in checked) || !isJsonObject(value) || value.placement === undefined) return { checked };
  const [problem] = checked.problems as [Problem, ...Problem[]];
  const rest = checkFormat(project, { ...source, value: { ...value, placement: {} } });
  if ('problems' in rest) return { checked };
  return { checked: rest, broken: { ...problem, suggestion: builtInUntil(problem) } };
}

function builtInUntil({ suggestion }: Problem): string {
  const now = 'Until then the built-in lists of servers hold.';
  return suggestion === undefined
    ? `Write \`placement: { cloud: [names of servers] }\`. ${now}`
    : `${suggestion} ${now}`;
}

function orThrow(file: ReadFile): YamlSource {
  if (isProblem(file.source)) throw new AbilityError(file.source);
  return file.source;
}
