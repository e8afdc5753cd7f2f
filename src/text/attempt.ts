/** What a function returns; where it throws, `otherwise`. For faults that are an answer, such as a missing file. */
export function attempt<T, Otherwise = undefined>(act: () => T, otherwise?: Otherwise): T | Otherwise {
  try {
    return act();
  } catch {
    return otherwise as Otherwise;
  }
}
