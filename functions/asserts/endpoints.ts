import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { assertArtifact } from './assert-artifact.ts';

export const assertsGroup: EndpointGroup = { name: 'asserts', endpoints: [assertArtifact] };
