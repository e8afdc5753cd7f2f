import { type FoundScript, findScripts } from '../../authoring/harvest/find-scripts.js';
import { poolOf } from '../../choosing/ability-pool.js';
import { type GapGroup, groupGaps } from '../../choosing/harvest/group-gaps.js';
import { FITS } from '../../choosing/ranker.js';
import { wordTexts } from '../../choosing/words.js';
import type { Registry } from '../../definitions/registry.js';
import { knownSecrets } from '../../planning/known-secrets.js';
import { Masker } from '../../planning/masking/masker.js';
import { SecretSource } from '../../planning/secret-source.js';
import { GapLog } from '../../server/gap-log.js';
import { pathsOf } from '../../server/project-paths.js';
import { commandOf } from '../cli/typed-command.js';

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
  /** What could not be looked at. */
  warnings: string[];
}

const MOST_NEAR = 3;

/** What was asked for and is not there, and scripts that may be worth an ability. Reads files only. */
export async function harvest(registry: Registry, environment: string, env: NodeJS.ProcessEnv): Promise<Harvest> {
  const { gaps, warnings } = readGaps(registry);
  const masker = new Masker(knownSecrets(registry, new SecretSource(registry.root, environment, env)));
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
      const summary = script.summary === null ? null : masker.mask(script.summary);
      return { ...script, summary, near, next: nextFor(script, near.length > 0) };
    }),
  );
  return { gaps, scripts, warnings };
}

/** A log that cannot be read is reported; the scripts are found all the same. */
function readGaps({ root }: Registry): Pick<Harvest, 'gaps' | 'warnings'> {
  try {
    return { gaps: groupGaps(new GapLog(pathsOf(root).system).read()), warnings: [] };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { gaps: [], warnings: [`What was asked for and is not there could not be read: ${reason}`] };
  }
}

function nextFor({ path, abilities, is_text }: FoundScript, isNear: boolean): string | null {
  if (abilities.length > 0 || !is_text) return null;
  const command = commandOf('ability', 'scaffold', 'scripts', path);
  return isNear ? `Compare it with what is near; if it does something else: ${command}` : command;
}
