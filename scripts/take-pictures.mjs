/**
 * `node scripts/take-pictures.mjs [DIR]`: takes the pictures of the page and of the Temporal UI, of the example project, into DIR
 * (docs/images). Needs `npm ci`, and Chromium (CHROMIUM_BIN, or that of the system).
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { TAKEN_EMAIL } from '../examples/signup/database/create-tables.mjs';
import { KEY_PREFIX, setStage } from '../examples/signup/demo/stage.mjs';

const IMAGES = process.argv[2] ?? fileURLToPath(new URL('../docs/images/', import.meta.url));
const executablePath =
  process.env.CHROMIUM_BIN ??
  ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (!executablePath) throw new Error('Chromium is missing: apt-get install chromium, or set CHROMIUM_BIN');

const stage = await setStage();
const profile = mkdtempSync(join(tmpdir(), 'ability-pictures-'));
let browser;
try {
  browser = await chromium.launchPersistentContext(profile, {
    executablePath,
    args: ['--no-sandbox', '--disable-gpu'],
    viewport: { width: 1400, height: 1000 },
  });
  await takeAll(await browser.newPage());
} finally {
  await browser?.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  await stage.strike();
}

async function takeAll(page) {
  const take = (name) => page.screenshot({ path: join(IMAGES, `${name}.png`) });
  const build = new Date().toISOString().replaceAll(/[-:]/g, '').slice(2, 13).replace('T', '.');
  const waiting = `${KEY_PREFIX}${build}`;
  const inStaging = ['--env', 'staging', '--key'];
  await stage.ability.run(['run', 'signup_e2e_test', '--set', `build_id=${build}`, ...inStaging, waiting], { exit: 5 });
  const failed = `${waiting}-taken`;
  const taken = ['--set', `build_id=${build}-taken`, '--set', `email=${TAKEN_EMAIL}`];
  await stage.ability.run(['run', 'signup_e2e_test', ...taken, ...inStaging, failed], { exit: 1 });

  const { stdout } = await stage.ability.ask(['open', '--json']);
  await page.goto(JSON.parse(stdout).url);
  await page.getByRole('article').first().getByText('Show what comes after').click();
  await page.getByRole('article').getByRole('listitem').first().waitFor();
  await take('page-inbox');
  await page.goto(new URL(`/tasks/${waiting}`, page.url()).href);
  await page.locator('.node').first().waitFor();
  await take('page-task');

  await page.goto(await addressOf(waiting));
  await page.getByText('PreAbilityCall').first().waitFor();
  await page.setViewportSize({ width: 1400, height: 1240 });
  await take('history');
  await page.locator('a:visible, button:visible', { hasText: 'User Metadata' }).first().click();
  await page.frameLocator('iframe').last().locator('body', { hasText: 'To approve' }).waitFor();
  await take('approval');

  await page.locator('button:visible', { hasText: 'More Actions' }).first().click();
  await page.locator('text="Send a Signal" >> visible=true').first().click();
  const dialog = page.locator('dialog[open]');
  await dialog.locator('[aria-controls=signal-select-select]').click();
  await dialog.getByRole('option', { name: /^approve/ }).click();
  await dialog.locator('.cm-content').first().click();
  // The editor closes brackets by itself.
  const [approval] = /\brelease-[0-9a-f]{12}\b/.exec(await stage.ability.run(['approvals'])) ?? [];
  await page.keyboard.type(`{"approval_id": "${approval}", "by": "release-manager"`);
  await take('signal');

  await page.setViewportSize({ width: 1400, height: 1000 });
  await page.goto(await addressOf(failed));
  await page.getByText('PreAbilityCall').first().waitFor();
  await take('failed');

  const all = new URL('../workflows', await addressOf(failed));
  all.searchParams.set('query', 'AbilityProject="signup-demo"');
  await page.goto(String(all));
  await page.getByText(waiting).first().waitFor();
  await take('list');
}

/** Where the UI shows a task. */
async function addressOf(key) {
  const { stdout } = await stage.ability.ask(['task', 'show', key, '--json']);
  return JSON.parse(stdout).links.temporal;
}
