import { artifact, environmentAssertions, flowArtifacts } from '../../client/flows.ts';
import { read } from '../../client/query-client.ts';
import { flowTrails } from '../../client/trails.ts';
import { text } from '../../model/search-params.ts';
import { type ParamsOf, route } from '../route.ts';

type Place = ParamsOf<'artifact'>;

export const readArtifact = ({ org, flow, fingerprint }: Place) =>
  read(artifact, { org, flow, fingerprint }, { include: ['starts'] });

/** May it be released: the verdict in each environment. */
export const readVerdicts = ({ org, fingerprint }: Place) =>
  read(environmentAssertions, { org, fingerprint }, { per_page: 100 });

/** The trails in which it was reported, with what each asks for and has. */
export const readTrails = ({ org, flow, fingerprint }: Place) =>
  read(flowTrails, { org, flow }, { fingerprint, include: ['slots'], per_page: 10 });

/** The newest artifacts of the flow, for the one before and the one after. */
export const readNeighbours = ({ org, flow }: Place) => read(flowArtifacts, { org, flow }, { per_page: 50 });

export const artifactRoute = route({
  name: 'artifact',
  search: { artifact_id: text },
  reads: (params) => [readVerdicts(params), readArtifact(params), readTrails(params), readNeighbours(params)],
});
