import { endpointGroup } from '#shared/http/endpoint.ts';
import { allowArtifact } from './allow-artifact.ts';
import { listAllowed } from './list-allowed.ts';

export const allowlistsGroup = endpointGroup({
  name: 'allowlists',
  about: 'Artifacts that may run in an environment whatever its policies say.',
  endpoints: [allowArtifact, listAllowed],
});
