import type { archiveType as archive } from '#functions/custom-attestation-types/archive-type.ts';
import type { createType as create } from '#functions/custom-attestation-types/create-type.ts';
import type { getType } from '#functions/custom-attestation-types/get-type.ts';
import type { listTypes } from '#functions/custom-attestation-types/list-types.ts';
import { type AnswerOf, operation } from '../client/operations.ts';

/** Operations on custom types of attestations. */
export const types = operation<typeof listTypes>()('GET', '/custom-attestation-types/{org}', 'reader');
export const type = operation<typeof getType>()('GET', '/custom-attestation-types/{org}/{name}', 'reader');
export const createType = operation<typeof create>()('POST', '/custom-attestation-types/{org}', 'member');
export const archiveType = operation<typeof archive>()(
  'PUT',
  '/custom-attestation-types/{org}/{name}/archive',
  'member',
);

export type CustomType = AnswerOf<typeof getType>;
export type TypeVersion = CustomType['versions'][number];
