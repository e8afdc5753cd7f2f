import { saidIn } from './decide/said-text.js';
import { wordCount } from './words.js';

/** Longer texts are reduced to their requests. */
const MAX_WORDS = 60;

const SPEAKER = /^\s*(?:#+\s*|\*\*)?(user|human|me|assistant|ai|system|tool)(?:\*\*)?\s*:/gim;
const PEOPLE: ReadonlySet<string> = new Set(['user', 'human', 'me']);
const BEGINNING = new RegExp(
  `^\\W*(?:(?:now|then|so|ok|okay|and|also|finally|instead|hi|hello|hey|sure)\\b\\W*)*(?:${[
    "please|(?:can|could|would|will) you|i(?:'d| would) like|i(?:'m| am) (?:looking|trying|interested)|i (?:want|need)|we (?:want|need|should)",
    "let's|lets|make sure|what|where|when|which|who|why|how|is there|are there|do you|the task is|your task",
    'show|tell|give|find|get|fetch|list|create|make|run|check|send|write|delete|remove|add|update|set|open|close|start|stop|restart|roll',
    'deploy|build|test|fix|explain|search|look|help|book|order|convert|translate|compare|compute|calculate|generate|summari[sz]e|analy[sz]e',
    'recommend|suggest|plan|draft|review|verify|seed|insert|import|export|upload|download|schedule|cancel|restore|migrate|rename|move|copy',
  ].join('|')})\\b`,
  'iu',
);

/** Whether a sentence is a question, or begins as requests do. */
export function asks(sentence: string): boolean {
  return /\?\W*$/.test(sentence) || BEGINNING.test(sentence);
}

/** Whether a text is likely to hold more than its request. */
export function isLong(text: string): boolean {
  return wordCount(text) > MAX_WORDS;
}

/**
 * The query in a text: short texts as they are; of longer ones, the last message of a person without code,
 * quotations and pasted text; if that is still long, its requests, or else its first and last sentences.
 * Source: measured in docs/choosing.md.
 */
export function requestOf(text: string): string {
  if (wordCount(text) <= MAX_WORDS) return text;
  const said = saidIn(lastSaid(text));
  const plain = said.trim() === '' ? text : said;
  if (wordCount(plain) <= MAX_WORDS) return plain;
  const sentences = sentencesOf(plain);
  const asking = sentences.filter(asks);
  return (asking.length > 0 ? asking : [...sentences.slice(0, 1), ...sentences.slice(-1)]).join('\n');
}

/** The last turn of a person; the whole text where no speaker is named. */
function lastSaid(text: string): string {
  const turns = [...text.matchAll(SPEAKER)];
  const last = turns.findLastIndex(([, who = '']) => PEOPLE.has(who.toLowerCase()));
  const turn = turns[last];
  if (!turn) return text;
  return text.slice(turn.index + turn[0].length, turns[last + 1]?.index);
}

export function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?])\s+|\n+/).filter((sentence) => sentence.trim() !== '');
}
