import type { Effect } from '../../contracts/effects.js';
import type { JsonObject } from '../../contracts/json.js';
import type { WrittenKindName } from '../../kinds/kind.js';
import type { FileDraft } from '../write-together.js';
import type { Site } from './scaffold.js';
import type { Language, StubAnswer } from './script-stub.js';

export type KindChoice =
  | { kind: 'script'; language: Language }
  | { kind: 'api'; method: string; path: string; endpoint: string }
  | { kind: 'mcp'; server: string; tool: string; definition?: JsonObject };

/** The implementation that is written. */
export interface Owner {
  /** The implementation's own id: names the script and, if the name is taken, the endpoint. */
  id: string;
  operation: string;
  title: string;
  answer: StubAnswer;
  effects: Effect | undefined;
}

export type ChoiceOf<K extends WrittenKindName> = Extract<KindChoice, { kind: K }>;

/** What scaffolds write for a kind. */
export interface Scaffolded<K extends WrittenKindName> {
  /**
   * @returns `kind` and the section of that name, as lines of YAML.
   * @throws AbilityError `usage.invalid`, `definition.unknown_reference` for what no definition may contain.
   */
  plan(draft: FileDraft, site: Site, choice: ChoiceOf<K>, owner: Owner): string;
  /** As `effectsOf`. */
  effects(choice: ChoiceOf<K>): Effect;
  /** Inputs that the choice names; each is a text. */
  inputs(choice: ChoiceOf<K>): string[];
  /** Whether what is written answers at once, with what it was given. */
  isStub: boolean;
}
