import { REASON_PATTERN, SIGN_IN_PROBLEMS } from '#shared/console/sign-in-problems.ts';
import { oneOf, type SearchParam, text } from '../../model/search-params.ts';
import { route } from '../route.ts';

/** A code of the service. An address can contain any text, and none of it is shown. */
const reason: SearchParam<string> = (given) => (REASON_PATTERN.test(given) ? given : undefined);
const problem = oneOf(...SIGN_IN_PROBLEMS);

export const signInRoute = route({ name: 'sign-in', search: { next: text, problem, reason }, reads: () => [] });
