import type { MadeText } from '../../contracts/calls-made.js';
import type { Json } from '../../contracts/json.js';
import type { RecordedValue } from '../../contracts/record.js';
import type { Masker } from '../../planning/secrets/masking/masker.js';
import { startOf } from '../../rules/shown-text.js';

/** Characters of one value, and of all values of a record together. */
const MOST_OF_A_VALUE = 4 * 1024;
const MOST_OF_ALL = 256 * 1024;

/** Masks values and cuts them, as long as there is room for them. */
export class CutValues {
  private room = MOST_OF_ALL;

  constructor(readonly masker: Masker) {}

  cut([text, characters]: MadeText): RecordedValue {
    const recorded = text.length === characters ? this.cutWhole(text) : this.cutStart(text, characters);
    this.room -= 'value' in recorded ? text.length : recorded.start.length;
    return recorded;
  }

  private cutWhole(text: string): RecordedValue {
    const masked = this.masker.maskDeep(JSON.parse(text)) as Json;
    const whole = JSON.stringify(masked);
    const most = this.most();
    return whole.length <= most ? { value: masked } : { start: startOf(whole, most), characters: whole.length };
  }

  /** Where a secret may have begun that the cut has halved, the text ends. */
  private cutStart(text: string, characters: number): RecordedValue {
    const known = text.slice(0, this.masker.openAt(text));
    return { start: startOf(this.masker.mask(known), this.most()), characters };
  }

  private most(): number {
    return Math.max(0, Math.min(MOST_OF_A_VALUE, this.room));
  }
}
