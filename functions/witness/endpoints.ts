import { endpointGroup } from '#shared/http/endpoint.ts';
import { addCheckpointEndpoint } from './add-checkpoint.ts';
import { getCosignedCheckpoint } from './get-cosigned-checkpoint.ts';
import { getWitness } from './get-witness.ts';

export const witnessGroup = endpointGroup({
  name: 'witness',
  about: 'The witness of this region: it cosigns checkpoints of logs of other regions.',
  endpoints: [getWitness, addCheckpointEndpoint, getCosignedCheckpoint],
});
