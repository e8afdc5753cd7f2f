import type { MadeText } from '../../contracts/calls-made.js';
import type { Json } from '../../contracts/json.js';

/** A record shows less; the rest lets a secret be found that is cut where the record cuts. */
const MOST_OF_A_VALUE = 6 * 1024;

/** Values as JSON that is cut, as long as there is room for them. Sizes are characters. */
export class MadeTexts {
  constructor(
    private room: number,
    private readonly mostOfOne = MOST_OF_A_VALUE,
  ) {}

  of(value: Json): MadeText {
    const whole = JSON.stringify(value) ?? 'null';
    return this.again([whole, whole.length]);
  }

  /** One that was cut before. */
  again([known, characters]: MadeText): MadeText {
    const text = known.slice(0, Math.min(this.mostOfOne, this.room));
    this.room -= text.length;
    return [text, characters];
  }
}
