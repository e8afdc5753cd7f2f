/** A person as the runtime knows them. `claimed` means that nothing proves the name. Source: answers, 9. */
export interface Person {
  name: string;
  source: 'claimed' | 'proved';
}
