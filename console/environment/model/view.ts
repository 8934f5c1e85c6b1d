/** What the page of an environment shows. Its route needs no more of the page. */

const DAY = 86_400;

/** The begin of the day before, in UTC: what «since yesterday» means. */
export const yesterday = (now: number): number => Math.floor(now / DAY) * DAY - DAY;

interface ViewSearch {
  tab?: 'running' | 'frequency' | 'events' | 'gaps' | undefined;
  state?: string | undefined;
  q?: string | undefined;
  days?: string | undefined;
}

/** What the page of an environment shows. An address with a filter of the artifacts, and without a tab, shows them. */
export const viewOf = ({ tab, state, q, days }: ViewSearch): 'changes' | 'running' | 'frequency' | 'events' | 'gaps' =>
  tab ?? ([state, q, days].some((given) => given !== undefined) ? 'running' : 'changes');
