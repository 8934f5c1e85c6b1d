import { REASON_PATTERN, SIGN_IN_PROBLEMS } from '#shared/console/sign-in-problems.ts';
import { read } from '../client/query-client.ts';
import { route } from '../routes/route.ts';
import { oneOf, type SearchParam, text } from '../routes/search-params.ts';
import { sessions, user } from './user.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

export const accountRoute = route({
  name: 'account',
  search: {},
  reads: () => [read(user, {}), read(sessions, {})],
});

/** A code of the service. An address can contain any text, and none of it is shown. */
const reason: SearchParam<string> = (given) => (REASON_PATTERN.test(given) ? given : undefined);
const problem = oneOf(...SIGN_IN_PROBLEMS);

export const signInRoute = route({ name: 'sign-in', search: { next: text, problem, reason }, reads: () => [] });
