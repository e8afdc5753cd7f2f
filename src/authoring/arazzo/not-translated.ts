/** A workflow cannot be translated; the message says what of it, and where it is. */
export class NotTranslated extends Error {
  constructor(what: string, place: string) {
    super(place === '' ? what : `${place}: ${what}`);
  }
}
