import type { AgentTarget } from '../../contracts/routing.js';
import { contentStems, STOP_WORDS, wordsIn } from '../words.js';
import { signalIn } from './signals.js';
import { GENERIC_AGENT } from './targets.js';

const WRITERS: ReadonlySet<string> = new Set(
  'write writer writes writing draft drafts text texts copy author'.split(' '),
);

/** Named, else a writer for texts, else best by summary, else generic. Source: R-003-12, R-003-13, R-003-27. */
export function chooseAgent(agents: readonly AgentTarget[], text: string): string | undefined {
  const named = agents.filter(({ id }) => isAddressed(id, text));
  if (named.length === 1) return named[0]?.id;
  const needed = signalIn(text)?.need;
  const writer = needed === 'write' ? writerAmong(agents) : undefined;
  if (writer) return writer.id;
  return bestBySummary(agents, text) ?? agents.find(({ id }) => id === GENERIC_AGENT)?.id;
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

function writerAmong(agents: readonly AgentTarget[]): AgentTarget | undefined {
  const writing = agents.map((agent) => ({
    agent,
    count: wordsIn(`${agent.id} ${agent.summary}`).filter(({ text }) => WRITERS.has(text)).length,
  }));
  const [main] = writing.filter(({ count }) => count > 0).sort((one, other) => other.count - one.count);
  return main?.agent;
}

function bestBySummary(agents: readonly AgentTarget[], text: string): string | undefined {
  const wanted = contentStems(text);
  const shared = agents
    .filter(({ id }) => id !== GENERIC_AGENT)
    .map(({ id, summary }) => {
      return { id, count: [...contentStems(`${id} ${summary}`)].filter((stem) => wanted.has(stem)).length };
    })
    .sort((one, other) => other.count - one.count);
  const [best, next] = shared;
  return best && best.count >= 1 && best.count > (next?.count ?? 0) ? best.id : undefined;
}
