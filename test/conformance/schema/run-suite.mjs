// Holds the reading of schemas against the cases of JSON-Schema-Test-Suite, draft 2020-12. Needs build/.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leftOut } from './left-out.mjs';

const DRAFT = 'tests/draft2020-12';
const CODE = 'conformance.refused';

/**
 * Runs every case the way a contract goes: its schema stands in a definition that is loaded and checked, and the value is
 * held against it with defaults filled in.
 *
 * @param {string} dir the suite, or its folder of the draft.
 * @returns {Promise<{ suite: string, agreed: number, total: number, left_out: Record<string, number>,
 *   differences: { case: string, expected: string, got: string, meant?: string }[] }>} `total` is without what is left out;
 *   differences with `meant` are left out.
 * @throws Error where the folder has no cases.
 */
export async function runSuite(dir) {
  const groups = readGroups(dir);
  const judge = await openJudge(groups);
  const report = { suite: 'JSON-Schema-Test-Suite draft2020-12', agreed: 0, total: 0, left_out: {}, differences: [] };
  for (const [index, group] of groups.entries()) {
    for (const { description, data, valid } of group.tests) {
      const expected = valid ? 'valid' : 'invalid';
      const got = judge(index, data);
      const meant = leftOut(group, got, expected);
      if (meant !== undefined) report.left_out[meant] = (report.left_out[meant] ?? 0) + 1;
      else report.total += 1;
      if (got.answer === expected) {
        if (meant === undefined) report.agreed += 1;
        continue;
      }
      const name = `${group.file}: ${group.description}: ${description}`;
      const difference = { case: name, expected, got: got.why ?? got.answer };
      report.differences.push(meant === undefined ? difference : { ...difference, meant });
    }
  }
  return report;
}

function readGroups(dir) {
  const folder = existsSync(join(dir, DRAFT)) ? join(dir, DRAFT) : dir;
  const groups = ['', 'optional'].flatMap((part) => {
    const at = join(folder, part);
    if (!existsSync(at)) return [];
    const names = readdirSync(at).filter((name) => name.endsWith('.json'));
    return names.sort().flatMap((name) => groupsOf(join(at, name), join(part, name)));
  });
  if (groups.length > 0) return groups;
  throw new Error(`${dir} has no cases of JSON-Schema-Test-Suite: neither ${DRAFT} nor files of cases`);
}

function groupsOf(path, file) {
  const groups = JSON.parse(readFileSync(path, 'utf8'));
  const areGroups = Array.isArray(groups) && groups.every(({ schema, tests }) => schema !== undefined && tests);
  if (!areGroups) throw new Error(`${path} has no cases of JSON-Schema-Test-Suite`);
  return groups.map((group) => ({ ...group, file }));
}

/** A project with one definition for each schema. */
async function openJudge(groups) {
  const { loadRegistry } = await import('../../../build/definitions/load-registry.js');
  const { checkSchemas } = await import('../../../build/planning/resolve/check-ability.js');
  const { checkAgainst } = await import('../../../build/planning/input/schemas.js');
  const root = mkdtempSync(join(tmpdir(), 'ability-conformance-'));
  try {
    writeFileSync(join(root, 'ability.yaml'), 'format: 1\nproject: conformance\nenvironments: { dev: {} }\n');
    mkdirSync(join(root, 'registry/low-level'), { recursive: true });
    for (const [index, { schema }] of groups.entries()) {
      const definition = { operation_key: `case_${index}`, summary: 'A case.', effects: 'read', input_schema: schema };
      writeFileSync(join(root, `registry/low-level/case_${index}.yaml`), JSON.stringify(definition));
    }
    const registry = loadRegistry(root);
    return (index, data) =>
      answerOf(() => {
        const id = `case_${index}`;
        const ability = registry.operations.get(id);
        if (!ability) throw registry.broken.get(`ability:${id}`) ?? problemIn(registry, `${id}.yaml`);
        checkSchemas(ability);
        checkAgainst(ability.value.input_schema, data, { code: CODE, what: 'The value' });
      });
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Why a file is not read at all. */
function problemIn({ problems }, name) {
  return problems.find(({ location }) => location?.file.endsWith(`/${name}`)) ?? new Error(`No problem in ${name}`);
}

function answerOf(check) {
  try {
    check();
    return { answer: 'valid' };
  } catch (error) {
    if (error.code === CODE) return { answer: 'invalid' };
    return { answer: 'refused', code: error.code, why: `${error.code}: ${error.message}` };
  }
}
