/** Why a case is meant to differ; nothing where it is not. */
export function meantReason() {
  return {};
}
