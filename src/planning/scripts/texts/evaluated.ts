import type { Json } from '../../../contracts/json.js';

/** A part of a text: what its author wrote, or what one of its expressions gave. */
export type Piece = { text: string } | ValuePiece;

/** What one `${{ }}` of a text gave, before it is text itself. */
export interface ValuePiece {
  value: Json;
  /** The expression. */
  source: string;
  /** Where its text stands: `args[2].then[1]`, `stdin`, `env.REGION`. */
  place: string;
  /** Whether a caller has a say in it. */
  isFromInput: boolean;
}

/** A text of a script with its expressions evaluated. */
export interface EvaluatedText {
  place: string;
  pieces: Piece[];
  /** Whether text from the input may begin it with a `-`. */
  mayBeOption: boolean;
}

/** All texts of a script for one call; what is absent was left out. */
export interface EvaluatedScript {
  args: EvaluatedText[];
  stdin?: EvaluatedText;
  env: Record<string, EvaluatedText>;
}

/** Everything that expressions gave, in the order in which it stands. */
export function valuesIn({ args, stdin, env }: EvaluatedScript): ValuePiece[] {
  const texts = [...args, ...(stdin ? [stdin] : []), ...Object.values(env)];
  return texts.flatMap(({ pieces }) => pieces.filter((piece) => 'value' in piece));
}
