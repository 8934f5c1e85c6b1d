import { artifact, assertion } from '../../client/flows.ts';
import { read } from '../../client/query-client.ts';
import { text } from '../../model/search-params.ts';
import { route } from '../route.ts';

export const artifactRoute = route({
  name: 'artifact',
  search: { artifact_id: text },
  reads: ({ org, flow, fingerprint }) => [
    read(artifact, { org, flow, fingerprint }),
    read(assertion, { org, fingerprint }, { flow_name: flow }),
  ],
});
