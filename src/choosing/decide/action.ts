import { stemOf } from '../stem.js';
import { wordsIn } from '../words.js';

export interface Action {
  /** `write`: changes something, so that a read-only ability cannot be meant. */
  kind: 'read' | 'write';
  stems: ReadonlySet<string>;
}

/** Groups of synonyms, without verbs that are nouns as often, such as `mail`. */
const READ = [
  'show list display print view',
  'get fetch read give',
  'find search look lookup query',
  'check see inspect count compare',
];
const WRITE = [
  'delete remove drop wipe erase purge clear truncate',
  'create add insert write register make',
  'update change edit modify set rename',
  'send notify publish',
  'deploy release ship',
  'stop kill cancel abort terminate',
  'restart reboot',
  'pause suspend',
  'pay charge',
  'refund reimburse',
  'upload import',
  'restore recover undelete',
  'undo revert rollback unwind',
  'approve grant',
  'revoke disable block ban',
  'close resolve',
  'merge',
  'rotate',
  'move copy',
  'invite sign',
  'buy purchase',
  'migrate',
  'transfer',
];
const ACTIONS = new Map([...actionsOf('read', READ), ...actionsOf('write', WRITE)]);
const VERBS: ReadonlySet<string> = new Set([...READ, ...WRITE].flatMap((group) => group.split(' ')));
/** Only this many first words are searched for a verb. */
const FIRST_WORDS = 8;

function actionsOf(kind: Action['kind'], groups: readonly string[]): [string, Action][] {
  return groups.flatMap((group) => {
    const stems = new Set(group.split(' ').map(stemOf));
    return [...stems].map((stem): [string, Action] => [stem, { kind, stems }]);
  });
}

/** Joins compound verbs: "roll it back" becomes "rollback"; "un-delete" is not "delete". */
export function joinVerbs(text: string): string {
  return text
    .replaceAll(/\b(roll|rolls|rolled|rolling)\s+(?:[\w-]+\s+)?back\b/gi, 'rollback')
    .replaceAll(/\b(un|re|de)-(?=\p{L})/giu, '$1');
}

export function isVerb(word: string): boolean {
  return VERBS.has(word.toLowerCase());
}

/** Undefined if the verb reveals nothing about the effect, as in "run the tests". */
export function actionIn(said: string): Action | undefined {
  for (const { stem } of wordsIn(joinVerbs(said)).slice(0, FIRST_WORDS)) {
    const action = ACTIONS.get(stem);
    if (action) return action;
  }
  return undefined;
}

export function hasVerb(
  { abilityId, summary, words = [] }: { abilityId: string; summary: string; words?: readonly string[] },
  { stems }: Action,
): boolean {
  return [...wordsIn(joinVerbs(`${abilityId} ${summary}`)).map(({ stem }) => stem), ...words.map(stemOf)].some((stem) =>
    stems.has(stem),
  );
}
