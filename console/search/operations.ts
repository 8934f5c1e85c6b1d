import type { searchNames } from '#functions/search/search-names.ts';
import type { searchSha } from '#functions/search/search-sha.ts';
import { type AnswerOf, operation } from '../client/operations.ts';

/** Records whose name or digest begins with a text. */
export const search = operation<typeof searchNames>()('GET', '/search/{org}', 'reader');
export type Found = AnswerOf<typeof searchNames>;

/** Where artifacts with a digest run and ran, and who reported them. */
export const searchDigest = operation<typeof searchSha>()('GET', '/search/{org}/sha/{sha}', 'reader');
export type FoundArtifact = AnswerOf<typeof searchSha>['artifacts'][number];
