/** A name for each tool that gets one; `refused` lists external names whose collision remains. */
export interface DiscoveredNames {
  /** External name -> resource name. */
  readonly names: ReadonlyMap<string, string>;
  readonly refused: readonly string[];
}
