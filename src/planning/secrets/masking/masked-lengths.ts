/** From so many characters on a secret is masked: a shorter value would blot out half a log, and is no secret. */
export const SHORTEST_MASKED = 4;

/** From so many on it is masked in all forms, also in base64 and across line breaks. */
export const SHORTEST_IN_ALL_FORMS = 8;
