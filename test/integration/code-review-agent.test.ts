import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/contracts/json.js';
import { exampleProject } from '../fixtures/example-project.js';
import { GitRepository } from '../fixtures/git-repository.js';
import { keepEndpoint, type ModelServer, startModel } from '../fixtures/model-server.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { SEEDED_DIFFS, type SeededDiff } from '../fixtures/seeded-diffs.js';

interface Comment {
  file: string;
  line: number;
  kind: string;
  severity: string;
  text: string;
}

const setBack = keepEndpoint();
let project: RunningProject;
let model: ModelServer;

beforeAll(async () => {
  model = await startModel('reviewer');
  model.use();
  project = await runProject(exampleProject(), { onDemand: true });
});
afterAll(async () => {
  setBack();
  await project.stop();
  await model.stop();
});

const review = async (input: JsonObject) => {
  const result = await project.run('code_review_agent', input);
  expect(result).toMatchObject({ status: 'succeeded' });
  return { result, comments: (result.output as unknown as { comments: Comment[] }).comments };
};
/** The repository of a change, named by a number, so that the input does not reveal the planted defect. */
const repositoryOf = (at: number, { before, after }: SeededDiff) => {
  const name = `r${at}`;
  const repository = new GitRepository(join(project.root, 'workspace', name));
  const base = repository.commit({ 'package.json': '{ "type": "module" }\n', ...before });
  return { name, repository, base, head: repository.commit(after) };
};

describe('code_review_agent', () => {
  test.each(SEEDED_DIFFS.map((diff, at) => [diff.name, at, diff] as const))(
    'R-000-43: %s is reported with its file and line, or nothing if nothing is wrong, and a repaired defect is not reported again',
    async (_, at, diff) => {
      const { name, repository, base, head } = repositoryOf(at, diff);
      const given = { repository: name, base, context: 'A change of the shop.' };
      const { result, comments } = await review({ ...given, head });
      const { defect, mended } = diff;
      expect(comments.map(({ file, line, kind }) => ({ file, line, kind }))).toEqual(
        defect ? [{ file: defect.file, line: repository.lineOf(defect.file, defect.at), kind: defect.kind }] : [],
      );
      expect(result.agent).toMatchObject({ calls: expect.any(Number), cost: expect.any(Number) });
      expect(result.agent?.estimated).toBeUndefined();
      const record = readFileSync(join(project.root, '.system/implement', `${result.task_key}`, 'record.json'), 'utf8');
      expect(record).toContain('"git.diff"');
      if (!mended || !defect) return;
      expect((await review({ ...given, head: repository.commit(mended) })).comments).toEqual([]);
      // The same defect further down is reported further down.
      const file = diff.after[defect.file] as string;
      const moved = repository.commit({ ...diff.after, [defect.file]: `// One.\n// Two.\n// Three.\n${file}` });
      const again = await review({ ...given, head: moved });
      expect(again.comments.map(({ line }) => line)).toEqual([(comments[0]?.line ?? 0) + 3]);
    },
  );

  test('accepts a plain diff without a repository', async () => {
    const diff = [
      'diff --git a/src/a.mjs b/src/a.mjs',
      '--- a/src/a.mjs',
      '+++ b/src/a.mjs',
      '@@ -4,2 +4,3 @@',
      ' const a = 1;',
      '+const b = eval(a);',
      ' export { a };',
    ].join('\n');
    const { comments, result } = await review({ diff });
    expect(comments).toMatchObject([{ file: 'src/a.mjs', line: 5, kind: 'safety', severity: 'high' }]);
    expect(result.agent).toMatchObject({ calls: 0 });
  });

  test('accepts no other input', async () => {
    const end = await project
      .create('code_review_agent', { repository: 'r0', context: 'no commits' })
      .catch((error) => error);
    expect(end).toMatchObject({ name: 'AbilityError', code: 'input.invalid' });
  });
});
