import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { RuntimeFile } from '../../src/contracts/runtime.js';
import { CHROMIUM, launchBrowser } from '../fixtures/browser.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, operation, type ProjectFolder, projectFile, workflow } from '../fixtures/project-folder.js';

const MARKUP = '<img src=x onerror="window.harmed = true">';
const ROOT = join(import.meta.dirname, '../..');
const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8');

let project: ProjectFolder;
let browser: Browser;

const at = (user: string) => ({ cwd: project.root, env: { ABILITY_USER: user } });
const runtime = (): RuntimeFile => JSON.parse(readFileSync(join(project.root, '.system/runtime.json'), 'utf8'));

/** Starts a task that waits for people. */
async function waiting(id: string, key: string, input: object = {}, user = 'requester'): Promise<void> {
  const environments: Record<string, string> = { asks: 'strict', drops: 'asking' };
  const place = environments[id] ? ['--env', environments[id]] : [];
  const args = ['run', id, '--input', JSON.stringify(input), '--key', key, ...place];
  expect((await ability(args, at(user))).exitCode).toBe(5);
}

const statusOf = async (key: string) => (await abilityJson(['task', 'show', key], at('requester'))).json.status;
const linkFor = async (person: string, ...key: string[]): Promise<string> =>
  (await abilityJson(['open', ...key], at(person))).json.url;

/** The page of a person, in a browser of their own. */
async function pageOf(person: string, ...key: string[]): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 } });
  onTestFinished(() => context.close());
  return openIn(context, person, ...key);
}

async function openIn(context: BrowserContext, person: string, ...key: string[]): Promise<Page> {
  const page = await context.newPage();
  await page.goto(await linkFor(person, ...key));
  return page;
}

/** What axe finds on a page as it is shown. */
async function violationsOn(page: Page): Promise<unknown[]> {
  await page.evaluate(AXE);
  return page.evaluate(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => ({ id, at: nodes.map(({ html }) => html) })))',
  );
}

const cardOf = (page: Page, title: string) => page.getByRole('article', { name: title });

describe.skipIf(!CHROMIUM)('the page for people (needs chromium: apt-get install chromium)', () => {
  beforeAll(async () => {
    browser = await launchBrowser();
    project = makeProject({
      'ability.yaml': projectFile(
        '{ dev: {}, strict: { self_approval: false }, asking: { approve: [destructive] } }',
        'default_environment: dev\n',
      ),
      ...operation('util.echo', 'return input;'),
      ...workflow(
        'release',
        `input_schema: { type: object, properties: { build: { type: string } } }
steps:
  - { id: first, call: util.echo, with: { x: 1 } }
  - { id: go, approval: { title: "Release \${{ input.build }}?", quorum: 2 } }
  - { id: last, call: util.echo, with: { build: "\${{ input.build }}" } }`,
      ),
      ...operation('util.guarded', 'return input;', { yaml: 'hooks: { pre_call: [careful] }' }),
      'registry/hooks/PreAbilityCall.yaml':
        'hooks: [{ id: careful, handler: { expression: { deny_if: "input.bad", reason: Not today. } } }]\n',
      ...workflow('inner', 'steps: [{ id: hold, wait: { signal: go } }, { id: done, let: { x: 1 } }]'),
      ...workflow(
        'outer',
        `steps:
  - { id: calm, call: util.guarded, with: { bad: false } }
  - { id: sub, call: inner, with: {} }
  - { id: bad, call: util.guarded, with: { bad: true } }`,
      ),
      ...workflow(
        'pays',
        `input_schema: { type: object, properties: { amount: { type: integer, maximum: 900 }, to: { type: string } } }
steps: [{ id: ask, approval: { title: "Pay it?", edit: [amount], quorum: 2 } }]
output: "\${{ input.amount }}"`,
      ),
      ...operation('util.drop', 'return 1;', {
        effects: 'destructive',
        yaml: 'input_schema: { type: object, properties: { n: { type: integer } } }',
      }),
      ...workflow(
        'drops',
        `steps:
  - id: each
    foreach: [1, 2, 3, 4]
    as: n
    steps: [{ id: drop, call: util.drop, with: { n: "\${{ n }}" } }]`,
      ),
      ...workflow(
        'changes',
        `steps:
  - { id: first, wait: { signal: go } }
  - id: both
    parallel:
      left: { let: { x: 1 } }
      right: { call: util.echo, with: { x: 2 } }`,
      ),
      ...workflow('asks', 'steps: [{ id: ask, approval: { title: "Go on?"} }]'),
      ...workflow(
        'form',
        `input_schema:
  type: object
  required: [name]
  properties:
    name: { type: string }
    dry: { type: boolean }
    size: { enum: [small, large] }
    count: { type: integer }
    share: { type: number }
    tags: { type: array, items: { type: string } }
    page: { type: object, format: file }
    owner: { type: object, properties: { name: { type: string } } }
    any: { oneOf: [{ type: string }, { type: array }] }
steps: [{ id: a, call: util.echo, with: { all: "\${{ input }}" } }]
output: "\${{ steps.a.output.all }}"`,
      ),
      ...workflow(
        'many',
        `input_schema: { type: object, properties: { list: { type: array } } }
steps: [{ id: each, foreach: input.list, as: n, max_parallel: 50, steps: [{ id: one, let: { n: "\${{ n }}" } }] }]`,
      ),
    });
  });
  afterAll(async () => {
    await browser.close();
    await ability(['down'], { cwd: project.root });
    project.remove();
  });

  test('two people decide a quorum of two in two browsers, and a third is too late', LONG, async () => {
    await waiting('release', 'quorum', { build: '7' });
    const [alice, bob, carol] = await Promise.all(['alice', 'bob', 'carol'].map((name) => pageOf(name)));
    if (!alice || !bob || !carol) throw new Error('no page');
    for (const page of [alice, bob, carol]) await cardOf(page, 'Release 7?').waitFor();
    // What others decide does not reach the third page.
    await carol.route('**/listApprovals', () => {});
    await cardOf(alice, 'Release 7?').getByRole('button', { name: 'Approve', exact: true }).click();
    await alice.getByText('Approved; 1 more needed.').waitFor();
    await cardOf(bob, 'Release 7?').getByText('1 of 2 approved').waitFor();
    await cardOf(bob, 'Release 7?').getByLabel('Comment').fill('seen it');
    await cardOf(bob, 'Release 7?').getByRole('button', { name: 'Approve', exact: true }).click();
    await bob.getByText('Approved.').waitFor();
    await cardOf(bob, 'Release 7?').waitFor({ state: 'detached' });
    await cardOf(carol, 'Release 7?').getByRole('button', { name: 'Deny' }).click();
    await carol.getByRole('alert').filter({ hasText: 'approval.not_found' }).waitFor();
    await expect.poll(() => statusOf('quorum')).toBe('succeeded');
    const { json } = await abilityJson(['why', 'quorum'], at('alice'));
    expect(json.approvals[0].decisions).toMatchObject([
      { decision: 'approve', by: { name: 'alice' } },
      { decision: 'approve', by: { name: 'bob' }, comment: 'seen it' },
    ]);
  });

  test('an input is corrected before it is approved, and the others are asked about the new one', async () => {
    await waiting('pays', 'corrected', { amount: 500, to: 'bob' });
    const [alice, bob] = await Promise.all(['alice', 'bob'].map((name) => pageOf(name)));
    if (!alice || !bob) throw new Error('no page');
    const card = cardOf(alice, 'Pay it?');
    await card.getByRole('heading', { name: 'Correct the input' }).click();
    expect(await card.getByLabel('amount').inputValue()).toBe('500');
    expect(await card.getByLabel('to').count()).toBe(0);
    await card.getByLabel('amount').fill('5000');
    await card.getByRole('button', { name: 'Approve', exact: true }).click();
    await card.getByRole('alert').filter({ hasText: 'must be <= 900' }).waitFor();
    await card.getByLabel('amount').fill('50');
    expect(await violationsOn(alice)).toEqual([]);
    await card.getByRole('button', { name: 'Approve', exact: true }).click();
    await alice.getByText('Approved; 1 more needed.').waitFor();
    await cardOf(bob, 'Pay it?').getByText('amount 500 -> 50').waitFor();
    await cardOf(bob, 'Pay it?').getByRole('button', { name: 'Approve', exact: true }).click();
    await expect.poll(() => statusOf('corrected')).toBe('succeeded');
    expect((await abilityJson(['task', 'result', 'corrected'], at('alice'))).json.output).toBe(50);
    await bob.goto(new URL('/tasks/corrected', bob.url()).href);
    await bob.getByText('amount 500 -> 50').waitFor();
  });

  test('one yes is given for calls that are alike', async () => {
    await waiting('drops', 'granted');
    const alice = await pageOf('alice');
    const card = cardOf(alice, 'util.drop in asking');
    await card.getByRole('heading', { name: 'One yes for what is alike' }).click();
    await card.getByLabel('Approve alike calls, too').selectOption('of this task');
    await card.getByLabel('Up to so many calls').fill('3');
    await card.getByLabel('Only if').fill('input.n < 9');
    expect(await violationsOn(alice)).toEqual([]);
    await card.getByRole('button', { name: 'Approve', exact: true }).click();
    // The fourth call asks again.
    await card.getByText('"n": 4').waitFor();
    await card.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect.poll(() => statusOf('granted')).toBe('succeeded');
    await alice.goto(new URL('/tasks/granted', alice.url()).href);
    await alice.getByText('by a grant: call 3 of 3').waitFor();
  });

  test('a whole approval with the keyboard alone; who asked for it may not decide, and is told by the page', async () => {
    await waiting('asks', 'keyboard');
    const asker = await pageOf('requester');
    await cardOf(asker, 'Go on?').getByText('You asked for it').waitFor();
    expect(await cardOf(asker, 'Go on?').getByRole('button', { name: 'Approve' }).count()).toBe(0);
    const page = await pageOf('dora');
    await cardOf(page, 'Go on?').waitFor();
    await page.keyboard.press('j');
    // Changes need a comment.
    await page.keyboard.press('c');
    await page.getByText('Comment (needed)').waitFor();
    await page.keyboard.type('the smaller table first');
    await page.keyboard.press('Tab');
    for (let n = 0; n < 5; n += 1) {
      const focused = await page.evaluate('document.activeElement.textContent');
      if (focused === 'Request changes') break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.getByText('Changes requested.').waitFor();
    await expect.poll(() => statusOf('keyboard')).toBe('denied');
    await asker.goto(new URL('/tasks/keyboard', asker.url()).href);
    await asker.getByRole('alert').filter({ hasText: 'the smaller table first' }).waitFor();
    await waiting('asks', 'by-key');
    await cardOf(page, 'Go on?').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('a');
    await expect.poll(() => statusOf('by-key')).toBe('succeeded');
  });

  test('what a user controls is text, never markup', async () => {
    await waiting('release', 'markup', { build: MARKUP }, MARKUP.slice(0, 30));
    const page = await pageOf('alice');
    await page.getByText(MARKUP).first().waitFor();
    for (const path of ['/tasks', '/tasks/markup', '/abilities?search=%3Cimg%20src=x%3E', '/inbox']) {
      await page.goto(new URL(path, page.url()).href);
      await page.locator('h1').waitFor();
      await expect.poll(() => page.getByText('Loading').count()).toBe(0);
      expect([path, await page.locator('img').count()]).toEqual([path, 0]);
    }
    expect(await page.evaluate('"harmed" in window')).toBe(false);
  });

  test('a form has a field of each kind; Plan shows what would happen, and Run runs it', async () => {
    const page = await pageOf('alice');
    await page.goto(new URL('/abilities/form', page.url()).href);
    await page.getByLabel('name (needed)').fill('Ada');
    await page.getByLabel('dry').selectOption('true');
    await page.getByLabel('size').selectOption('"large"');
    await page.getByLabel('count').fill('3');
    await page.getByLabel('share').fill('0.5');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByLabel('tags 1').fill('blue');
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') });
    await page.getByText('note.txt, 5 B').waitFor();
    await page.getByRole('group', { name: 'owner' }).getByLabel('name').fill('Bea');
    // Nothing is rounded, and nothing that was typed before is sent in its place.
    const any = page.getByLabel('any JSON');
    await any.fill('[1]');
    for (const wrong of ['[9007199254740993]', '[1, ']) {
      await any.fill(wrong);
      await page.getByRole('alert').filter({ hasText: 'What is written here' }).waitFor();
      await page.getByRole('button', { name: 'Plan', exact: true }).click();
      expect(await any.evaluate('document.activeElement.name')).toBe('any');
    }
    expect(await page.getByRole('region', { name: 'What would happen' }).count()).toBe(0);
    await any.fill('[1]');
    expect(await page.getByRole('button', { name: 'Run this plan' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByRole('region', { name: 'What would happen' }).waitFor();
    await page.getByRole('button', { name: 'Run this plan' }).click();
    await page.waitForURL(/\/tasks\//);
    await page.getByText('succeeded').first().waitFor();
    const key = decodeURIComponent(new URL(page.url()).pathname.split('/')[2] ?? '');
    expect((await abilityJson(['task', 'result', key], at('alice'))).json).toMatchObject({
      requested_by: { name: 'alice' },
      output: {
        ...{ name: 'Ada', dry: true, size: 'large', count: 3, share: 0.5 },
        page: { name: 'note.txt', bytes: 5, media_type: 'text/plain' },
        ...{ tags: ['blue'], owner: { name: 'Bea' }, any: [1] },
      },
    });
  });

  test('an ability says who is asked, in each environment', async () => {
    const page = await pageOf('alice');
    await page.goto(new URL('/abilities/release', page.url()).href);
    const asked = page.locator('details').filter({ hasText: 'Who is asked' });
    const rows = asked.locator('tbody tr');
    await rows.filter({ hasText: 'strict' }).waitFor();
    expect((await rows.allInnerTexts()).map((text) => text.split(/\s*\t\s*/))).toEqual([
      ['dev', 'go Release ${{ input.build }}?', 'anyone', '2 of them'],
      ['strict', 'go Release ${{ input.build }}?', 'anyone', '2 of them; not who asks for it'],
      ['asking', 'go Release ${{ input.build }}?', 'anyone', '2 of them'],
    ]);
    await page.goto(new URL('/abilities/many', page.url()).href);
    await rows.filter({ hasText: 'dev' }).filter({ hasText: 'no one' }).waitFor();
  });

  test('a loop of 2,000 items is one line that counts', async () => {
    const page = await pageOf('alice');
    const input = JSON.stringify({ list: Array.from({ length: 2000 }, (_, n) => n) });
    await ability(['run', 'many', '--key', 'many', '--input', input, '--detach'], at('alice'));
    await page.goto(new URL('/tasks/many?steps=table', page.url()).href);
    await page.getByText('2000/2000').waitFor({ timeout: 60_000 });
    expect(await page.locator('tbody tr').count()).toBeLessThan(5);
  });

  test('a called task is seen at its step while it runs, with a link to its page; the answers of hooks at theirs', async () => {
    await ability(['run', 'outer', '--key', 'outer', '--detach'], at('alice'));
    const page = await pageOf('alice', 'outer');
    await page.getByRole('button', { name: /sub .* → 0\/2/ }).waitFor();
    await page.getByRole('button', { name: 'Table' }).click();
    const row = page.locator('tbody tr').filter({ hasText: 'inner' });
    await row.filter({ hasText: '0/2' }).filter({ hasText: 'hold' }).waitFor();
    const child = await row.getByRole('link').getAttribute('href');
    expect(child).toBe('/tasks/outer%2Fsub');
    expect((await ability(['task', 'signal', 'outer/sub', 'go'], at('alice'))).exitCode).toBe(0);
    await row.filter({ hasText: 'succeeded' }).waitFor();
    await page.getByRole('button', { name: 'bad', exact: true }).click();
    const answer = page.getByRole('dialog').locator('tbody tr');
    await answer.filter({ hasText: 'PreAbilityCall' }).filter({ hasText: 'deny' }).waitFor();
    expect(await answer.innerText()).toMatch(/careful.*Not today\./s);
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await page.locator('tbody tr').filter({ hasText: 'calm' }).innerText()).toContain('allow');
    // Its own page is there after the end, too.
    await row.getByRole('link').click();
    await page.getByRole('heading', { name: 'outer/sub' }).waitFor();
  });

  test('the graph of a task is that of its own plan, whatever the definition is by now', async () => {
    await ability(['run', 'changes', '--key', 'changes', '--detach'], at('alice'));
    await expect.poll(() => statusOf('changes')).toMatch(/^(running|waiting)/);
    project.write(workflow('changes', 'steps: [{ id: other, wait: { signal: go } }]'));
    const page = await pageOf('alice', 'changes');
    await page.getByRole('button', { name: /^first waiting/ }).waitFor();
    await page.getByRole('button', { name: /^left pending/ }).waitFor();
    expect(await page.getByRole('button', { name: /^other/ }).count()).toBe(0);
    expect(await page.getByText('The definition has changed').count()).toBe(0);
  });

  test('a link lets in once; nobody decides without being let in, or from the page of another site', async () => {
    await waiting('asks', 'guarded');
    const link = await linkFor('eve');
    const { origin } = new URL(link);
    const first = await fetch(link, { redirect: 'manual' });
    const cookie = first.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^ability_\w+=abt_.*HttpOnly; SameSite=Strict/);
    const again = await fetch(link, { redirect: 'manual' });
    expect([again.headers.get('location'), again.headers.get('set-cookie')]).toEqual(['/sign-in?link=used', null]);
    const sent = (headers: Record<string, string>) =>
      fetch(`${origin}/v1/operations/listApprovals`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      }).then((answer) => answer.status);
    const [pair = ''] = cookie.split(';');
    expect(await sent({ cookie: pair })).toBe(200);
    expect(await sent({})).toBe(401);
    expect(await sent({ cookie: `${pair}x` })).toBe(401);
    expect(await sent({ cookie: pair, origin: 'https://evil.test' })).toBe(403);
    expect(await sent({ cookie: pair, 'sec-fetch-site': 'cross-site' })).toBe(403);
    const page = await fetch(`${origin}/tasks`);
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self'/);
    expect(await page.text()).not.toMatch(/<script>|style=/);
    // Who leaves is let in no more.
    await fetch(`${origin}/page/sign-out`, { method: 'POST', headers: { cookie: pair } });
    expect(await sent({ cookie: pair })).toBe(401);
  });

  test('the command line says how the page is opened', async () => {
    const opens = 'ability open named';
    const run = await ability(['run', 'asks', '--key', 'named', '--env', 'strict'], at('requester'));
    expect(run.stderr).toContain(`Page:   ${opens}\n`);
    expect((await ability(['why', 'named'], at('requester'))).stdout).toContain(`page: ${opens}\n`);
    expect((await ability(['approvals', 'named'], at('requester'))).stderr).toBe(`Page:  ${opens}`);
  });

  test('is small: 5,000 lines, and 200 KB over the wire', () => {
    const sources = readdirSync(join(ROOT, 'src/page'), { recursive: true, encoding: 'utf8' });
    const texts = sources
      .filter((name) => /\.\w+$/.test(name))
      .map((name) => readFileSync(join(ROOT, 'src/page', name), 'utf8'));
    expect(texts.join('').split('\n').length).toBeLessThan(5000);
    const files = readdirSync(join(ROOT, 'dist/page')).map((name) => readFileSync(join(ROOT, 'dist/page', name)));
    expect(files.reduce((sum, bytes) => sum + gzipSync(bytes).length, 0)).toBeLessThan(200 * 1024);
  });

  test('an agent opens no page', async () => {
    const end = await abilityJson(['open'], { cwd: project.root, env: { ABILITY_CALLER: 'agent' } });
    expect(end).toMatchObject({ exitCode: 4, json: { error: { code: 'approval.by_agent' } } });
  });

  test('a runtime that is killed while the page is open: the page goes on with the next one', LONG, async () => {
    const page = await pageOf('alice');
    await page.goto(new URL('/tasks', page.url()).href);
    await page.locator('tbody tr').first().waitFor();
    process.kill(runtime().pid, 'SIGKILL');
    await page.getByText('The runtime does not answer.').waitFor({ timeout: 20_000 });
    await waiting('asks', 'after-the-kill');
    await page.getByText('after-the-kill').waitFor({ timeout: 20_000 });
    expect(await page.getByText('The runtime does not answer.').count()).toBe(0);
  });

  test('axe finds nothing on any view, in both themes, nothing is cut off at 360 px, and nothing is tiny at 3840 px', async () => {
    await waiting('asks', 'looked-at');
    const page = await pageOf('alice');
    const found: unknown[] = [];
    for (const path of [
      '/inbox',
      '/tasks',
      '/tasks/looked-at',
      '/tasks/looked-at?steps=table',
      '/abilities',
      '/abilities/form',
      '/schedules',
      '/gaps',
      '/sign-in',
    ]) {
      await page.goto(new URL(path, page.url()).href);
      await page.locator('h1').waitFor();
      await expect.poll(() => page.getByText('Loading').count()).toBe(0);
      for (const theme of ['light', 'dark']) {
        if (path !== '/sign-in') await page.getByLabel('Theme').selectOption(theme);
        const violations = await violationsOn(page);
        if (violations.length > 0) found.push({ path, theme, violations });
      }
      await page.setViewportSize({ width: 360, height: 800 });
      const width: number = await page.evaluate('document.documentElement.scrollWidth');
      if (width > 360) found.push({ path, width });
      const narrow = await violationsOn(page);
      if (narrow.length > 0) found.push({ path, narrow });
      // Nobody has to come closer to a large screen.
      await page.setViewportSize({ width: 3840, height: 2160 });
      const size: string = await page.evaluate('getComputedStyle(document.body).fontSize');
      if (Number.parseFloat(size) < 20) found.push({ path, size });
      await page.setViewportSize({ width: 1200, height: 900 });
    }
    expect(found).toEqual([]);
  }, 120_000);
});
