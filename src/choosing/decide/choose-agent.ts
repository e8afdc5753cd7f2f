import { FITS } from '../ranker.js';
import { STOP_WORDS } from '../words.js';
import { signalIn } from './signals.js';
import { GENERIC_AGENT, type RouterInput } from './targets.js';

/** An agent is wanted, so the one that comes nearest may be far, if no other comes near. */
const NEAR = { score: 0.25, before: 2 };

/** Named, else best by intent, else generic. Source: R-003-12, R-003-13, R-003-27. */
export async function chooseAgent({ agents, rank }: RouterInput, text: string): Promise<string | undefined> {
  const named = agents.filter(({ id }) => isAddressed(id, text));
  if (named.length === 1) return named[0]?.id;
  const others = new Set(agents.map(({ id }) => id).filter((id) => id !== GENERIC_AGENT));
  const about = text.replaceAll(/\b(?:sub-?\s?)?agents?\b/gi, ' ');
  // "Ten versions of it" are texts to write, whatever they are about.
  const need = signalIn(text)?.need;
  const [writer, ...more] = need === 'write' ? await rank('write texts', others) : [];
  const writers = [writer, ...more].flatMap((one) => (one && one.score >= NEAR.score ? [one.abilityId] : []));
  const [best, next] = await rank(about, writers.length > 0 ? new Set(writers) : others);
  const isAlone =
    need !== 'steps' && best && best.score >= NEAR.score && best.score >= (next?.score ?? 0) * NEAR.before;
  if (best && (best.score >= FITS || isAlone)) return best.abilityId;
  if (writer && writers.length === 1) return writer.abilityId;
  return agents.find(({ id }) => id === GENERIC_AGENT)?.id;
}

/** Whether a text addresses the agent: "ask legal", "via the support agent", "@ops". */
function isAddressed(id: string, text: string): boolean {
  const name = String.raw`${id.replaceAll(/[^\w\s]/g, String.raw`\$&`)}(?![\w-])`;
  const always = String.raw`@${name}|(?<![\w-])${name}\s+(?:sub-?\s?)?agent\b|\b(?:sub-?\s?)?agent\s+${name}`;
  const before = String.raw`ask|let|have|use|via|through|using|(?:hand|give|delegate|pass|assign)\b[^.!?\n]{0,40}?\bto`;
  const usual = String.raw`\b(?:${before})\s+(?:the\s+|our\s+|a\s+)?${name}|\b(?:by|with)\s+(?:the\s+|our\s+)?${name}\W*$|^\W*${name}[,:]`;
  // "have it done" does not name an agent with the id "it".
  return new RegExp(STOP_WORDS.has(id.toLowerCase()) ? always : `${always}|${usual}`, 'im').test(text);
}
