import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { archiveType } from './archive-type.ts';
import { createType } from './create-type.ts';
import { getType } from './get-type.ts';
import { listTypes } from './list-types.ts';

export const customAttestationTypesGroup: EndpointGroup = {
  name: 'custom-attestation-types',
  endpoints: [createType, listTypes, getType, archiveType],
};
