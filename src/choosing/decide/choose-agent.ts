import type { AgentTarget } from '../../contracts/routing.js';
import { wordsIn } from '../words.js';
import { signalIn } from './signals.js';
import { GENERIC_AGENT } from './targets.js';

/** Words by which an agent that writes is known. */
const WRITERS: ReadonlySet<string> = new Set([
  'write',
  'writer',
  'writes',
  'writing',
  'draft',
  'drafts',
  'text',
  'texts',
  'copy',
  'author',
]);

/**
 * The registered agent that takes a request: the one it names, for texts one that writes, else the one whose summary shares most of its
 * words, else the generic one. Undefined where there is none. Source: R-003-12, R-003-13, R-003-27.
 */
export function chooseAgent(agents: readonly AgentTarget[], text: string): string | undefined {
  const said = new Set(wordsIn(text).map(({ text: word }) => word));
  const named = agents.filter(({ id }) => said.has(id.toLowerCase()) || text.includes(id));
  if (named.length === 1) return named[0]?.id;
  const needed = signalIn(text)?.need;
  const writer = needed === 'write' ? agents.find(isWriter) : undefined;
  if (writer) return writer.id;
  return bestBySummary(agents, text) ?? agents.find(({ id }) => id === GENERIC_AGENT)?.id;
}

function isWriter({ id, summary }: AgentTarget): boolean {
  return wordsIn(`${id} ${summary}`).some(({ text }) => WRITERS.has(text));
}

/** One that shares at least two telling words, and more than any other does. */
function bestBySummary(agents: readonly AgentTarget[], text: string): string | undefined {
  const asked = new Set(
    wordsIn(text)
      .filter(({ kind }) => kind === 'content')
      .map(({ stem }) => stem),
  );
  const shared = agents
    .filter(({ id }) => id !== GENERIC_AGENT)
    .map(({ id, summary }) => {
      const own = new Set(
        wordsIn(`${id} ${summary}`)
          .filter(({ kind }) => kind === 'content')
          .map(({ stem }) => stem),
      );
      return { id, count: [...own].filter((stem) => asked.has(stem)).length };
    })
    .sort((one, other) => other.count - one.count);
  const [best, next] = shared;
  return best && best.count >= 1 && best.count > (next?.count ?? 0) ? best.id : undefined;
}
