/**
 * Whether a number is a whole multiple of another, both as the decimals they are written as; divided as doubles, 19.99
 * would be no multiple of 0.01.
 *
 * @param divisor above 0.
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  const one = decimalOf(value);
  const other = decimalOf(divisor);
  const shift = one.exponent - other.exponent;
  if (shift >= 0) return (one.digits * 10n ** BigInt(shift)) % other.digits === 0n;
  return one.digits % (other.digits * 10n ** BigInt(-shift)) === 0n;
}

/** A number as `digits` times ten to the power of `exponent`. */
function decimalOf(value: number): { digits: bigint; exponent: number } {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
