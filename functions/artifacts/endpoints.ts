import { endpointGroup } from '#shared/http/endpoint.ts';
import { getArtifact } from './get-artifact.ts';
import { getArtifactsByCommit } from './get-artifacts-by-commit.ts';
import { getLatestCommit } from './get-latest-commit.ts';
import { listArtifacts } from './list-artifacts.ts';
import { listFlowArtifacts } from './list-flow-artifacts.ts';
import { reportArtifact } from './report-artifact.ts';

export const artifactsGroup = endpointGroup({
  name: 'artifacts',
  about: 'What was built, known by the SHA-256 of its content.',
  endpoints: [reportArtifact, listArtifacts, listFlowArtifacts, getArtifact, getArtifactsByCommit, getLatestCommit],
});
