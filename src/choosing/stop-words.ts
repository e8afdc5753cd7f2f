/**
 * Words that carry little of what a request is about: those of grammar, and those with which people ask for anything at all
 * ("could you please help me find ..."). English, lower case, without apostrophes. They count for less, and are never left out: where
 * abilities have examples, "how do I" and "what is my" are told apart by them.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an the this that these those some any all each every both either neither no not nor so such same own other another one ones
  more most much many few less least
  i me my mine myself we us our ours ourselves you your yours yourself he him his she her hers it its itself they them their theirs
  who whom whose which what where when why how
  am is are was were be been being do does did doing done have has had having
  will would shall should can could may might must ought cannot cant couldnt dont doesnt didnt isnt arent wasnt wont wouldnt
  im ive id ill youre theres thats whats lets
  and or but if then else than as at by for from in into of off on onto out over to up with within without about above across after
  against along among around before behind below beside between beyond down during except inside near since through throughout till
  toward towards under until upon via per
  there here now just also too very really only even still yet again ever already however therefore
  please hi hello hey thanks thank help helps helping assist assistance want wants wanted need needs needed like
  look looking try trying let know knows tell give gives get gets getting got make makes making take takes go going
  provide provides provided show use uses used using able possible way ways
  thing things something anything everything someone anyone`.split(/\s+/),
);

/**
 * Words that say little of which ability is meant where many could do it to something: "write", "find", "new", "best". In a project of ten
 * abilities each of them would look rare, so they can tell only so much. English, lower case, one form of each.
 */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  `ask answer question explain describe discuss suggest recommend advice idea tip example
  write read say word text list name number
  run start begin stop check see view find search watch learn understand think plan choose pick
  create build add put set change update edit keep save send receive open close turn work play
  new best good better great nice easy quick quickly simple specific different similar certain current currently latest recent today
  information info detail data result list type kind part time day week month year people person place world`.split(
    /\s+/,
  ),
);
