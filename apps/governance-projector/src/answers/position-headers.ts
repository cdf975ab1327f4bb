/** What every answer says about the read model it was made from. */
export interface ReadPosition {
  readonly projectedSequence: number;
  /** Records of the Workspace up to this workspaceSequence may have been removed by retention. */
  readonly removedThrough?: number;
}

/** `Agentstration-Removed-Through` appears only where retention has removed something. */
export const positionHeaders = ({ projectedSequence, removedThrough = 0 }: ReadPosition): Record<string, string> => ({
  'Agentstration-Projected-Sequence': String(projectedSequence),
  ...(removedThrough > 0 && { 'Agentstration-Removed-Through': String(removedThrough) }),
  'Cache-Control': 'no-store',
});
