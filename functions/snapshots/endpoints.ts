import { endpointGroup } from '#shared/http/endpoint.ts';
import { diffSnapshots } from './diff-snapshots.ts';
import { getSnapshot } from './get-snapshot.ts';
import { listSnapshotArtifacts } from './list-snapshot-artifacts.ts';
import { listSnapshots } from './list-snapshots.ts';

export const snapshotsGroup = endpointGroup({
  name: 'snapshots',
  about: 'What ran in an environment and how it was judged; differences between any two.',
  endpoints: [listSnapshots, getSnapshot, listSnapshotArtifacts, diffSnapshots],
});
