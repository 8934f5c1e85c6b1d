import type { searchNames } from '#functions/search/search-names.ts';
import { type AnswerOf, operation } from './operations.ts';

/** Records whose name or digest begins with a text. */
export const search = operation<typeof searchNames>()('GET', '/search/{org}', 'reader');
export type Found = AnswerOf<typeof searchNames>;
