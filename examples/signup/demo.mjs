/**
 * `npm run demo`: an end-to-end regression test as a durable workflow on Temporal, with guards, an approval, a record,
 * and a refusal of each kind. Starts all it needs and stops what it started.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BUILT = fileURLToPath(new URL('../../dist/command/bin.js', import.meta.url));

process.exitCode = await demonstrate().catch((error) => {
  console.error(`error ${error.message}`);
  return 1;
});

/** @returns {Promise<number>} the exit code: 0 when everything was as it should be. */
async function demonstrate() {
  if (!existsSync(BUILT)) throw new Error('dist/ is missing: run `npm ci` first (or `npm run build`)');
  const { setStage } = await import('./demo/stage.mjs');
  const { tellStory } = await import('./demo/story.mjs');
  const { showSection, showText } = await import('./demo/show.mjs');
  const started = performance.now();
  const interruption = whenInterrupted();
  const stage = await setStage();
  const story = tellStory(stage).then(
    () => ({ code: 0 }),
    (error) => ({ code: 1, said: `error ${error.message}` }),
  );
  const { code, said } = await Promise.race([story, interruption]);
  if (said) console.error(`\n   ${said}`);
  if (code !== 0) stage.ability.interrupt();
  showSection('Everything is put away');
  showText(...(await stage.strike()));
  if (code === 0) showText(`All as expected, in ${((performance.now() - started) / 1000).toFixed(0)} s.`);
  return code;
}

/** Resolves on Ctrl-C and its kin; a second one does not stop the putting away. */
function whenInterrupted() {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.on(signal, () => resolve({ code: 130, said: 'Interrupted.' }));
    }
  });
}
