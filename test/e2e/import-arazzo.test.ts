import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SHOP, SHOPPING } from '../fixtures/arazzo-shop.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { makeProject, type ProjectFolder, projectFile } from '../fixtures/project-folder.js';

let project: ProjectFolder;
const json = (...args: string[]) => abilityJson(args, { cwd: project.root });

beforeAll(() => {
  project = makeProject({ 'ability.yaml': projectFile('{ dev: {} }'), '.env': 'SHOP_TOKEN=x\n' });
  project.write({ 'docs/shop.json': JSON.stringify(SHOP), 'docs/shopping.arazzo.yaml': SHOPPING });
});
afterAll(() => project.remove());

describe('ability import arazzo', () => {
  test('names the document to import first, and writes no workflow', async () => {
    const { json: end, exitCode } = await json('import', 'arazzo', 'docs/shopping.arazzo.yaml');
    expect(exitCode).toBe(0);
    expect(end.new).toEqual([]);
    expect(end.left_out[0].reason).toContain('run `ability import openapi ./shop.json` first');
  });

  test('finds the operations by the file of their document, and its output lints clean and can be planned', async () => {
    await json('import', 'openapi', 'docs/shop.json', '--server', 'https://shop.test/v1');
    const { json: end } = await json('import', 'arazzo', 'docs/shopping.arazzo.yaml');
    expect(end.left_out).toEqual([]);
    expect(end.new.map(({ key }: { key: string }) => key)).toEqual([
      ...['shop.log_in.with_status', 'shop.get_item.with_status', 'shop.place_order.with_status'],
      ...['shopping.client-credentials-flow', 'shopping.buy'],
    ]);
    const lint = await ability(['lint', '--strict'], { cwd: project.root });
    expect(lint).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Nothing to complain about') });
    const plan = await json('plan', 'shopping.buy', '--input', '{"item": "i", "client": "c"}');
    expect(plan.exitCode).toBe(0);
    const again = (await json('import', 'arazzo', 'docs/shopping.arazzo.yaml')).json;
    expect(again).toMatchObject({ new: [], changed: [], kept: [] });
    expect(again.unchanged).toHaveLength(5);
  });

  test('a repeated import keeps the edits in files, and takes over what the document changed', async () => {
    const file = join(project.root, 'registry/high-level/shopping.buy.yaml');
    const read = () => readFileSync(file, 'utf8');
    const again = async () => (await json('import', 'arazzo', 'docs/shopping.arazzo.yaml')).json;
    const inDocument = (count: number) =>
      project.write({ 'docs/shopping.arazzo.yaml': SHOPPING.replace('default: 2 }', `default: ${count} }`) });
    const before = read();
    const edited = before.replace(/^summary: .*$/m, 'summary: Ours. # as we call it');
    writeFileSync(file, edited);
    expect(await again()).toMatchObject({ new: [], changed: [], kept: [{ key: 'shopping.buy' }] });
    expect(read()).toBe(edited);

    inDocument(3);
    expect((await again()).changed).toMatchObject([{ key: 'shopping.buy', conflicts: [] }]);
    expect(read()).toContain('summary: Ours. # as we call it');
    expect(read()).toMatch(/count: \{.*default: 3 \}/);

    writeFileSync(file, read().replace('default: 3', 'default: 5'));
    inDocument(4);
    expect((await again()).changed).toMatchObject([
      { conflicts: [{ at: 'input_schema.properties.count.default', before: '5', after: '4' }] },
    ]);
    expect(read()).toMatch(/count: \{.*default: 5 \}/);

    project.write({ 'docs/shopping.arazzo.yaml': SHOPPING });
    writeFileSync(file, before);
    expect(await again()).toMatchObject({ new: [], changed: [], kept: [] });
  });

  test('a hook for one of the operations only is not bypassed through its second form', async () => {
    const hooks = [
      'hooks:',
      '  - id: only_this',
      '    summary: Nothing is ordered.',
      '    blocking: true',
      '    match: { abilities: [shop.place_order] }',
      '    handler: { expression: { deny_if: "true", reason: no } }',
    ];
    project.write({ 'registry/hooks/PreAbilityCall.yaml': `${hooks.join('\n')}\n` });
    const { json: end } = await json('import', 'arazzo', 'docs/shopping.arazzo.yaml', '--dry-run');
    expect(end.left_out).toEqual([
      { source: 'buy', reason: expect.stringContaining('the hook only_this is for shop.place_order, and not for') },
    ]);
  });

  test('a chosen source must exist', async () => {
    const { json: end } = await json('import', 'arazzo', 'docs/shopping.arazzo.yaml', '--source', 'shop=nope');
    expect(end.error).toMatchObject({
      code: 'usage.invalid',
      message: 'There is no import nope for a source of this type',
    });
    const { json: other } = await json('import', 'arazzo', 'docs/shopping.arazzo.yaml', '--source', 'nope=shop');
    expect(other.error).toMatchObject({ code: 'usage.invalid', message: 'The document has no source nope' });
  });
});
