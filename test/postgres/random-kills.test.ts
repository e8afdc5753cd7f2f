import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type EffectService, startEffects } from '../chaos/effect-service.js';
import { everythingProject } from '../chaos/everything.js';
import { chance, SEED } from '../chaos/extent.js';
import type { OpenSite } from '../chaos/sites.js';
import { blow, report } from '../chaos/storm.js';
import { openRealSite } from './real-site.js';

const KILLS = Number(process.env.KILLS ?? 50);
const LANES = 6;
/** The limit for a killed process to return and, after the last kill, for every task to end. */
const LIMIT_MS = 5 * 60_000;
const ALL_MS = 60 * 60_000;
/** Calls take up to this long, so that kills interrupt some of them. */
const ANSWER_MS = 400;

const real = inject('real');
const why = 'missing' in real ? ` (skipped: ${real.missing})` : '';

describe.skipIf('missing' in real)(`kill -9 around a Temporal server on PostgreSQL${why}`, () => {
  let effects: EffectService;
  let site: OpenSite;

  beforeAll(async () => {
    if ('missing' in real) return;
    const random = chance(SEED + 2);
    effects = await startEffects(() => random() * ANSWER_MS);
    site = await openRealSite(everythingProject(effects.origin), real);
  });
  afterAll(async () => {
    await site?.stop();
    await effects?.stop();
  });

  test(
    `of the worker, the server, the database, or several, ${KILLS} times: every task ends correctly, keyed effects happen once, others at most once (seed ${SEED})`,
    async () => {
      const storm = await blow(site, effects, { seed: SEED, kills: KILLS, lanes: LANES, limitMs: LIMIT_MS });
      report(site.name, storm, site.user);
      expect(storm.wrong).toEqual([]);
      expect(storm.kills).toHaveLength(KILLS);
    },
    ALL_MS,
  );
});
