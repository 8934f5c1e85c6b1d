/** The change that made a version (rules/controls.md#version-transitions). */
export const CONTROL_STATUSES = ['created', 'updated', 'archived', 'unarchived'] as const;
export type ControlStatus = (typeof CONTROL_STATUSES)[number];
