import type { Release } from '#shared/base/release.ts';

/** Name of the `meta` element in which the server tells the page which release it is (rules/requests.md#version). */
export const RELEASE_META = 'release';

/** Returns the line at the end of each page. */
export const releaseLine = ({ version, commit, data_format: format }: Release): string =>
  `Version ${version}, commit ${commit}, data format ${format}`;
