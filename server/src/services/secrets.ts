import type { ProjectService } from '../modules/projects/projects.service.ts'
import { FolderMoveService } from '../modules/secrets/folder-moves.service.ts'
import type { FolderTree } from '../modules/secrets/folder-tree.ts'
import { FolderService } from '../modules/secrets/folders.service.ts'
import { ImportService } from '../modules/secrets/imports.service.ts'
import { Places } from '../modules/secrets/places.service.ts'
import { ReferenceIndex } from '../modules/secrets/reference-index.ts'
import { ReferenceKeeper } from '../modules/secrets/reference-keeper.ts'
import { SecretBox } from '../modules/secrets/secret-box.ts'
import { SecretListService } from '../modules/secrets/secret-lists.service.ts'
import { SecretMoveService } from '../modules/secrets/secret-moves.service.ts'
import { SecretTaggingService } from '../modules/secrets/secret-tagging.service.ts'
import { SecretVersionService } from '../modules/secrets/secret-versions.service.ts'
import { SecretWriter } from '../modules/secrets/secret-writer.ts'
import { SecretWriteService } from '../modules/secrets/secret-writes.service.ts'
import { SecretService } from '../modules/secrets/secrets.service.ts'
import { Snapshots } from '../modules/secrets/snapshots.service.ts'
import { TagService } from '../modules/secrets/tags.service.ts'
import type { Base } from './base.ts'

/** Folders and the secrets in them. */
export const createSecrets = (base: Base & { projects: ProjectService; tree: FolderTree }) => {
  const places = new Places(base)
  const box = new SecretBox(base)
  const snapshots = new Snapshots({ ...base, box })
  const writer = new SecretWriter({ ...base, box })
  const keeper = new ReferenceKeeper({ ...base, box, writer })
  const shared = { ...base, places, box, snapshots, writer, keeper }
  return {
    tree: base.tree,
    folders: new FolderService(shared),
    folderMoves: new FolderMoveService(shared),
    referenceIndex: new ReferenceIndex(shared),
    secrets: new SecretService(shared),
    secretLists: new SecretListService(shared),
    secretWrites: new SecretWriteService(shared),
    secretMoves: new SecretMoveService(shared),
    secretTagging: new SecretTaggingService(shared),
    secretVersions: new SecretVersionService(shared),
    secretImports: new ImportService(shared),
    secretTags: new TagService(shared),
  }
}
