import { endpointGroup } from '#shared/http/endpoint.ts';
import { archiveType } from './archive-type.ts';
import { createType } from './create-type.ts';
import { getType } from './get-type.ts';
import { listTypes } from './list-types.ts';

export const customAttestationTypesGroup = endpointGroup({
  name: 'custom-attestation-types',
  about: 'Types of attestations that an organization defines, each with a schema and rules, in versions.',
  endpoints: [createType, listTypes, getType, archiveType],
});
