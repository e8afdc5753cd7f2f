import { type FoundScript, findScripts } from '../../authoring/harvest/find-scripts.js';
import { poolOf } from '../../choosing/ability-pool.js';
import { type GapGroup, groupGaps } from '../../choosing/harvest/group-gaps.js';
import { FITS } from '../../choosing/ranker.js';
import { wordTexts } from '../../choosing/words.js';
import type { Registry } from '../../definitions/registry.js';
import { GapLog } from '../../server/gap-log.js';
import { pathsOf } from '../../server/project-paths.js';

/** A script, with the abilities that may do the same. */
export interface HarvestedScript extends FoundScript {
  /** Ids with a score from 0.5 to 1, best first; at most three. */
  near: { id: string; score: number }[];
  /** What could be done about it. */
  next: string | null;
}

/** What `ability harvest` answers. Source: R-000-90 to R-000-94. */
export interface Harvest {
  gaps: GapGroup[];
  scripts: HarvestedScript[];
}

const MOST_NEAR = 3;

/** What was asked for and is not there, and scripts that may be worth an ability. Reads files only. */
export async function harvest(registry: Registry, environment: string, env: NodeJS.ProcessEnv): Promise<Harvest> {
  const gaps = groupGaps(new GapLog(pathsOf(registry.root).system).read());
  const pool = poolOf(registry, environment, null, env);
  const scripts = await Promise.all(
    findScripts(registry).map(async (script): Promise<HarvestedScript> => {
      const name =
        script.path
          .split('/')
          .at(-1)
          ?.replace(/\.\w+$/, '') ?? '';
      const text = [wordTexts(name).join(' '), script.summary ?? ''].join(' ');
      const { ranked } = await pool.ranker.rank({ text, limit: MOST_NEAR });
      const near = ranked
        .filter(({ id, score }) => score >= FITS && !script.abilities.includes(id))
        .map(({ id, score }) => ({ id, score: Math.round(score * 1000) / 1000 }));
      return { ...script, near, next: nextFor(script, near.length > 0) };
    }),
  );
  return { gaps, scripts };
}

function nextFor({ path, abilities, is_text }: FoundScript, isNear: boolean): string | null {
  if (abilities.length > 0 || !is_text) return null;
  const command = `ability scaffold scripts ${path}`;
  return isNear ? `Compare it with what is near; if it does something else: ${command}` : command;
}
