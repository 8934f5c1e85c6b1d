import { endpointGroup } from '#shared/http/endpoint.ts';
import { getCheckpoint } from './get-checkpoint.ts';
import { getLog } from './get-log.ts';
import { getTile } from './get-tile.ts';

export const logGroup = endpointGroup({
  name: 'log',
  about: 'The verifiable log of an organization: its keys, its checkpoint and its tiles.',
  endpoints: [getLog, getCheckpoint, getTile],
});
