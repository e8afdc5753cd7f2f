import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { linksOf, openApprovals } from '../../src/client/index.js';
import { CHROMIUM, withPage } from '../fixtures/browser.js';
import { LONG } from '../fixtures/extent.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;

/** Screenshots for inspection by people; they are not stored in the repository. */
const PICTURES = fileURLToPath(new URL('../../coverage/pictures', import.meta.url));

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  project = await runProject({
    'ability.yaml': projectFile('{ staging: { approvers: [release-manager] } }'),
    ...operation('db.write.row', 'return { ok: true };', { effects: 'write_idempotent' }),
    ...workflow(
      'signup_e2e_test',
      `
steps:
  - { id: seed, call: db.write.row, with: {} }
  - { id: release, approval: { title: Release build 1234? } }
  - { id: after, call: db.write.row, with: {} }`,
    ),
    ...workflow(
      'release',
      `
steps:
  - id: ask
    approval:
      title: Release to 20 hosts?
      comment: required
      fields:
        count: { type: integer, description: How many hosts first }
        ring: { type: string, enum: [canary, all] }
        note: { type: string, optional: true }`,
    ),
    ...workflow('listens', 'steps: [{ id: build, wait: { signal: build.done, if: "signal.ok" } }]'),
    ...workflow(
      'breaks',
      'steps: [{ id: seed, call: db.write.row, with: {} }, { id: check, fail: { code: mine.broken, message: "host-7 does not answer" } }]',
    ),
    ...workflow(
      'rollout',
      'steps: [{ id: hosts, foreach: [host-1, host-2, "host <b>3|`"], as: host, on_failure: finish, steps: [{ id: check, call: db.write.row, with: {} }, { id: bad, if: "host != \'host-1\'", fail: { code: mine, message: "no **route**" } }] }]',
    ),
  });
});
afterAll(() => project.stop());

/** The text below `User Metadata`, once it has the expected content. */
async function detailsOf(page: Page, task: string, says: RegExp): Promise<string> {
  await page.goto(`${inject('temporal').ui}/namespaces/default/workflows/${task}`);
  await page.locator('a:visible, button:visible', { hasText: 'User Metadata' }).first().click();
  const details = page.frameLocator('iframe').last().locator('body');
  await expect.poll(async () => details.innerText(), { timeout: 20_000 }).toMatch(says);
  return details.innerText();
}

async function waitingTask(): Promise<{ id: string; approval: string }> {
  const { id } = await project.create('signup_e2e_test');
  await expect.poll(async () => (await openApprovals(project.connection, id)).length, { timeout: 20_000 }).toBe(1);
  const [approval] = await openApprovals(project.connection, id);
  return { id, approval: approval?.id ?? '' };
}

describe.skipIf(!CHROMIUM)('the Temporal UI (needs chromium: apt-get install chromium)', () => {
  test('a person opens the waiting task, sends the signal `approve`, and the task continues', async () => {
    const { id, approval } = await waitingTask();
    await withPage(async (page) => {
      await page.goto(linksOf(project.connection, id).temporal as string);
      await page.getByText('signup_e2e_test').first().waitFor();
      await page.screenshot({ path: join(PICTURES, 'waiting-task.png') });
      await page.locator('button:visible', { hasText: 'More Actions' }).first().click();
      await page.locator('text="Send a Signal" >> visible=true').first().click();
      const dialog = page.locator('dialog[open]');
      await dialog.locator('[aria-controls=signal-select-select]').click();
      await dialog.getByRole('option', { name: /^approve/ }).click();
      const editor = dialog.locator('.cm-content').first();
      await editor.click();
      // The editor closes brackets by itself.
      await page.keyboard.type(`{"approval_id": "${approval}", "by": "release-manager"`);
      await page.screenshot({ path: join(PICTURES, 'send-a-signal.png') });
      await page.keyboard.press('Tab');
      const submit = dialog.getByRole('button', { name: 'Submit' });
      await expect.poll(async () => submit.isEnabled()).toBe(true);
      // Leaving the editor moves the button.
      await page.waitForTimeout(500);
      await submit.click();
      await expect.poll(async () => (await openApprovals(project.connection, id)).length, { timeout: 20_000 }).toBe(0);
      const end = await project.wait(id);
      expect(end).toMatchObject({
        kind: 'ended',
        result: {
          status: 'succeeded',
          approvals: [{ decisions: [{ by: { name: 'release-manager', source: 'claimed' } }] }],
        },
      });
      await page.reload();
      await page.getByText('Completed').first().waitFor();
      await page.screenshot({ path: join(PICTURES, 'history.png') });
    });
  });

  test(
    'shows the ability as type, the step table in the details, and activities by operation with their step',
    LONG,
    async () => {
      const { id } = await waitingTask();
      await withPage(async (page) => {
        await page.goto(`${inject('temporal').ui}/namespaces/default/workflows/${id}`);
        await page.getByText('signup_e2e_test').first().waitFor();
        await page.getByText('db.write.row').first().waitFor();
        await page.locator('a:visible, button:visible', { hasText: 'User Metadata' }).first().click();
        const details = page.frameLocator('iframe').last().locator('body');
        await expect.poll(async () => details.innerText(), { timeout: 20_000 }).toMatch(/Waiting for approval/);
        const text = await details.innerText();
        expect(text).toMatch(/seed\s+db\.write\.row\s+succeeded/);
        expect(text).toMatch(/who may decide: release-manager/);
        await page.screenshot({ path: join(PICTURES, 'details.png') });
      });
      await project.connection.temporal.workflow.getHandle(id).cancel();
    },
  );

  test('the payload shown in the details is accepted, with its comment and its fields', LONG, async () => {
    const { id } = await project.create('release');
    await expect.poll(async () => (await openApprovals(project.connection, id)).length, { timeout: 20_000 }).toBe(1);
    await withPage(async (page) => {
      await page.setViewportSize({ width: 1400, height: 1240 });
      const text = await detailsOf(page, id, /To approve/);
      await page.screenshot({ path: join(PICTURES, 'approval-with-fields.png') });
      expect(text).toMatch(/field count, integer: How many hosts first/);
      expect(text).toMatch(/field ring, one of canary, all/);
      const [payload = ''] = /\{[^{}]*\{[^{}]*\}[^{}]*\}/.exec(text.slice(text.indexOf('To approve'))) ?? [];
      await project.connection.temporal.workflow.getHandle(id).signal('approve', JSON.parse(payload));
    });
    const end = await project.wait(id);
    const fields = { count: 1, ring: 'canary' };
    const decided = { decisions: [{ by: { name: 'release-manager' }, comment: 'why', fields }], ignored: [] };
    expect(end).toMatchObject({ kind: 'ended', result: { status: 'succeeded', approvals: [decided] } });
  });

  test('a task that waits for a signal shows which one, and under which condition', LONG, async () => {
    const { id } = await project.create('listens');
    await withPage(async (page) => {
      const text = await detailsOf(page, id, /waits for the signal/);
      expect(text).toMatch(
        /build waits for the signal build\.done with any JSON as its input, for which signal\.ok must hold/,
      );
    });
    await project.connection.temporal.workflow.getHandle(id).cancel();
  });

  test(
    'a failed task shows what failed and what comes next; its failure is readable without a worker',
    LONG,
    async () => {
      const { task_key: id } = await project.run('breaks');
      await withPage(async (page) => {
        const text = await detailsOf(page, id as string, /ended with/);
        await page.screenshot({ path: join(PICTURES, 'failed-details.png') });
        expect(text).toMatch(/Step check ended with mine\.broken: host-7 does not answer/);
        expect(text).toContain(`ability why ${id}`);
        expect(text).toContain(`ability task retry ${id} --from check`);
        await page.goto(`${inject('temporal').ui}/namespaces/default/workflows/${id}`);
        await page.getByText('step check: mine.broken: host-7 does not answer').first().waitFor();
        await page.screenshot({ path: join(PICTURES, 'failed.png') });
        const own = encodeURIComponent(`AbilityProject = "${project.connection.project}"`);
        await page.goto(`${inject('temporal').ui}/namespaces/default/workflows?query=${own}`);
        await page
          .getByText(id as string)
          .first()
          .waitFor();
        await page.screenshot({ path: join(PICTURES, 'list.png') });
      });
    },
  );

  test('shows the results of loop items below the table, with labels that are not read as markup', LONG, async () => {
    const { task_key: id } = await project.run('rollout');
    await withPage(async (page) => {
      await page.goto(`${inject('temporal').ui}/namespaces/default/workflows/${id}`);
      await page.getByText('rollout').first().waitFor();
      await page.locator('a:visible, button:visible', { hasText: 'User Metadata' }).first().click();
      const details = page.frameLocator('iframe').last().locator('body');
      await expect.poll(async () => details.innerText(), { timeout: 20_000 }).toMatch(/1 of 3 succeeded, 2 failed/);
      const text = await details.innerText();
      expect(text).toContain('failed: item 1 (host-2): mine: no **route**');
      expect(text).toContain('failed: item 2 (host <b>3|`): mine: no **route**');
      expect(text).toMatch(/hosts\/\*\/check\s+db\.write\.row\s+succeeded\s+3\s/);
      await page.screenshot({ path: join(PICTURES, 'loop.png') });
    });
  });
});
