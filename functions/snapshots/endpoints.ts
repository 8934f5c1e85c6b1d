import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { diffSnapshots } from './diff-snapshots.ts';
import { getSnapshot } from './get-snapshot.ts';
import { listSnapshots } from './list-snapshots.ts';

export const snapshotsGroup: EndpointGroup = {
  name: 'snapshots',
  endpoints: [listSnapshots, getSnapshot, diffSnapshots],
};
