import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { allowArtifact } from './allow-artifact.ts';

export const allowlistsGroup: EndpointGroup = { name: 'allowlists', endpoints: [allowArtifact] };
