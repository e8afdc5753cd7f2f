/** A workflow cannot be translated; the message says which part of it, and where. */
export class NotTranslated extends Error {
  constructor(what: string, place: string) {
    super(place === '' ? what : `${place}: ${what}`);
  }
}
