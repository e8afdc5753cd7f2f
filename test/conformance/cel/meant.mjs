/** Cases by the beginnings of their names, and why they are meant to differ. */
const MEANT = [
  [
    /^(fields\/qualified_identifier_resolution|namespace\/)/,
    'Names have no dots and no containers: a definition says which names exist, and `a.b` is member `b` of `a`.',
  ],
];

/** Why a case is meant to differ; nothing where it is not. */
export function meantReason(name) {
  const found = MEANT.find(([pattern]) => pattern.test(name));
  return found ? { meant: found[1] } : {};
}
