import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EffectService, startEffects } from './effect-service.js';
import { everythingProject } from './everything.js';
import { chance, SEED, WHOLE } from './extent.js';
import { type OpenSite, openOwnRuntime, openRemoteWorker } from './sites.js';
import { blow, report } from './storm.js';

const LANES = WHOLE ? 6 : 2;
/** Killed processes must be back within this time; after the last kill, every task must have ended within it. */
const LIMIT_MS = 5 * 60_000;
const ALL_MS = WHOLE ? 60 * 60_000 : 6 * 60_000;
/** Calls take this long, so that kills hit some of them while they run. */
const ANSWER_MS = 400;

const SITES = [
  { where: 'the runtime of a project, its server, or both', open: openOwnRuntime, kills: WHOLE ? 150 : 3 },
  ...(WHOLE
    ? [{ where: 'the worker of a remote server, that server, or both', open: openRemoteWorker, kills: 50 }]
    : []),
];

describe.each(SITES)('kill -9 of $where at random', ({ open, kills }) => {
  let effects: EffectService;
  let site: OpenSite;

  beforeAll(async () => {
    const random = chance(SEED + 2);
    effects = await startEffects(() => random() * ANSWER_MS);
    site = await open(everythingProject(effects.origin));
  });
  afterAll(async () => {
    await site?.stop();
    await effects?.stop();
  });

  test(
    `${kills} times: every task ends correctly, keyed effects once, others at most once (seed ${SEED})`,
    async () => {
      const storm = await blow(site, effects, { seed: SEED, kills, lanes: LANES, limitMs: LIMIT_MS });
      report(site.name, storm, site.user);
      expect(storm.wrong).toEqual([]);
      expect(storm.kills).toHaveLength(kills);
    },
    ALL_MS,
  );
});
