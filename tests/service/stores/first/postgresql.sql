SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.buckets (
    id bigint NOT NULL,
    name text NOT NULL,
    write bigint NOT NULL
);
CREATE TABLE public.contents (
    id bigint NOT NULL,
    key bytea NOT NULL,
    identity bigint NOT NULL,
    schema text NOT NULL,
    layer text,
    name text NOT NULL,
    metadata text NOT NULL,
    data text NOT NULL,
    data_hash bytea NOT NULL,
    metadata_hash bytea NOT NULL,
    secret character varying(36)
);
CREATE TABLE public.counters (
    id smallint NOT NULL,
    epoch bigint NOT NULL,
    revision bigint NOT NULL,
    document bigint NOT NULL,
    identity bigint NOT NULL,
    content bigint NOT NULL,
    bucket bigint NOT NULL,
    write bigint NOT NULL,
    validation bigint NOT NULL,
    created character varying(32) NOT NULL,
    key_check bytea
);
CREATE TABLE public.identities (
    id bigint NOT NULL,
    key bytea NOT NULL,
    bucket bigint
);
CREATE TABLE public.revisions (
    id bigint NOT NULL,
    created character varying(32) NOT NULL
);
CREATE TABLE public.secrets (
    id character varying(36) NOT NULL,
    fingerprint bytea NOT NULL,
    sealed bytea NOT NULL
);
CREATE TABLE public.tags (
    revision bigint NOT NULL,
    name text NOT NULL,
    data text NOT NULL
);
CREATE TABLE public.tokens (
    name text NOT NULL,
    hash bytea NOT NULL,
    roles text NOT NULL,
    created character varying(32) NOT NULL
);
CREATE TABLE public.validations (
    id bigint NOT NULL,
    revision bigint NOT NULL,
    name text NOT NULL,
    status text NOT NULL,
    validator text NOT NULL,
    errors text NOT NULL
);
CREATE TABLE public.writes (
    id bigint NOT NULL,
    revision bigint NOT NULL,
    bucket bigint NOT NULL,
    first bigint NOT NULL,
    contents bytea NOT NULL,
    since bytea NOT NULL,
    removed bytea NOT NULL,
    layering_policy bigint,
    validation_policies bytea NOT NULL
);
INSERT INTO public.alembic_version VALUES ('0001');
INSERT INTO public.buckets VALUES (4, 'other', 12);
INSERT INTO public.buckets VALUES (2, 'below', 18);
INSERT INTO public.buckets VALUES (1, 'above', 19);
INSERT INTO public.buckets VALUES (3, 'secret', 20);
INSERT INTO public.contents VALUES (1, '\x226b78673603ba5d166bf060df56e18ac1386c697883895803811b938bfa29b6', 1, 'deckhand/LayeringPolicy/v1', NULL, 'layering-policy', '{"schema": "metadata/Control/v1", "name": "layering-policy", "layeringDefinition": {"abstract": false}, "storagePolicy": "cleartext", "replacement": false}', '{"layerOrder": ["global", "site"]}', '\xe62bc56fc8b07a8e4e1fe46850a63b628d277973c3e294b3fb455712f77abb8e', '\xfde696c25ac961183acdcbdae0a4162c3668852057d9b0965dcbe3b1428b1764', NULL);
INSERT INTO public.contents VALUES (2, '\x68685ff7bda4185b12a06300ce5ff33754cf92b9682fc9b94f790a20b18f195f', 2, 'example/Kind/v1', 'global', 'base', '{"schema": "metadata/Document/v1", "name": "base", "storagePolicy": "cleartext", "layeringDefinition": {"layer": "global", "abstract": false}, "labels": {"name": "base"}, "replacement": false}', '{"a": 1, "list": [1, 2], "b": {"c": 2}}', '\xa9ab4529c5b54573fa1f99f8e188ae02d66c881c23bf0678d9720c9589704fbf', '\x2755e9920ce07090d6f334f83c5bb003592594730a84f78494a0c4bdffd9992d', NULL);
INSERT INTO public.contents VALUES (3, '\x6a8d3466f76a1a4822394c22d8b2f18ed9a69e76ff63a15847055662cfc75205', 3, 'deckhand/DataSchema/v1', NULL, 'example/Other/v1', '{"schema": "metadata/Control/v1", "name": "example/Other/v1", "layeringDefinition": {"abstract": false}, "storagePolicy": "cleartext", "replacement": false}', '{"$schema": "http://json-schema.org/schema#", "type": "object"}', '\xb96a79eff27ec808118060ee3ba56671531fdd6d44f987f45ec298491970eb6f', '\xd815dfa04d950384e81465efe4f847f5e80dcda03506e6a019584399eecf8bd9', NULL);
INSERT INTO public.contents VALUES (4, '\xac91b52ae1383e72e6a668d750ee5dba0251657cd412d4da3a3039db4e1c89e6', 4, 'example/Kind/v1', 'site', 'child', '{"schema": "metadata/Document/v1", "name": "child", "storagePolicy": "cleartext", "layeringDefinition": {"layer": "site", "parentSelector": {"name": "base"}, "actions": [{"method": "merge", "path": "."}], "abstract": false}, "replacement": false}', '{"b": {"d": 3}}', '\x7f441d3106cb097bdefbce01cb978eb00bbc48fd224643edf0350ae8d5007a87', '\x3a8614b9cf7dacc2798da46ca1a37f1852e35ec0302c6808444cc18f35fe871a', NULL);
INSERT INTO public.contents VALUES (5, '\x1bdf8a7f794e63446917908c9e89cc5a7abe52062e9603c81d436f9a5ac126f3', 5, 'deckhand/ValidationPolicy/v1', NULL, 'site-valid', '{"schema": "metadata/Control/v1", "name": "site-valid", "layeringDefinition": {"abstract": false}, "storagePolicy": "cleartext", "replacement": false}', '{"validations": [{"name": "promenade"}]}', '\x20f4756d9b36379667c8d0439e218c53b6a1c64df4e78a556b6159480f66f09c', '\xa83eff52e0364588e605baf30f9d0aecead708b8c170831986892769272433c7', NULL);
INSERT INTO public.contents VALUES (6, '\xf35eed31bd374207063e5e1bbb2f9b5594bec3bf5ccb526b599e4c87d42b1d8f', 6, 'example/Kind/v1', 'site', 's', '{"schema": "metadata/Document/v1", "name": "s", "storagePolicy": "encrypted", "layeringDefinition": {"layer": "site", "abstract": false}, "replacement": false}', '"https://lamina/secrets/282272d2-1ac5-450c-a1f4-fcf67d76910a"', '\xd5fae9b48a3282b3c5eb950cff648fe99226d0cf815cf96f02d03f97076a22e8', '\x60e1b8db4bf0b1128bd40b86a3d3574b1bec087ee1e90e4c8a4de5465d7e4b56', '282272d2-1ac5-450c-a1f4-fcf67d76910a');
INSERT INTO public.contents VALUES (7, '\x5ec454975f5c34609fa2326a3400eb89f8706d2bd0f58730473562c0e6f7fd7f', 7, 'example/Kind/v1', 'site', 'taker', '{"schema": "metadata/Document/v1", "name": "taker", "storagePolicy": "cleartext", "layeringDefinition": {"layer": "site", "abstract": false}, "substitutions": [{"src": {"schema": "example/Kind/v1", "name": "s", "path": ".pw"}, "dest": {"path": ".got"}}], "replacement": false}', '{"other": 1}', '\xba15681d40dc8af3bc3f71358ce39913dbaa9d6f5b6cea01bcff96858e985a1d', '\x771820d26b8fda79d94676ff2ecae8c9c5e3cbcd98764214820673f9be153211', NULL);
INSERT INTO public.contents VALUES (8, '\xcccea1f2f02abf732645286c89e8a9ab7904c4539754a4ae26b102573a507102', 4, 'example/Kind/v1', 'site', 'child', '{"schema": "metadata/Document/v1", "name": "child", "storagePolicy": "cleartext", "layeringDefinition": {"layer": "site", "parentSelector": {"name": "base"}, "actions": [{"method": "merge", "path": "."}], "abstract": false}, "replacement": false}', '{"b": {"d": 4}}', '\xa69750d9988f3ffc60d5b3581251c6cc58eca5440a5b9295b26c85d857877c75', '\x3a8614b9cf7dacc2798da46ca1a37f1852e35ec0302c6808444cc18f35fe871a', NULL);
INSERT INTO public.contents VALUES (9, '\x8298bf75eabbc6bf2625796751c9ba7186b60efc2cb8636e96365e6c600c5c47', 6, 'example/Kind/v1', 'site', 's', '{"schema": "metadata/Document/v1", "name": "s", "storagePolicy": "encrypted", "layeringDefinition": {"layer": "site", "abstract": false}, "replacement": false}', '"https://lamina/secrets/efbfa3ab-0666-4a5c-a4ca-a8eb4cefa77a"', '\x6e5c69218acb6109dcaeefb0a7c1b1d4b87f86b09888e19938c5894f90d9daad', '\x60e1b8db4bf0b1128bd40b86a3d3574b1bec087ee1e90e4c8a4de5465d7e4b56', 'efbfa3ab-0666-4a5c-a4ca-a8eb4cefa77a');
INSERT INTO public.counters VALUES (1, 0, 13, 29, 7, 9, 4, 20, 4, '2026-11-19T05:50:07.147375', '\x80eadbc72b91c06ed54ce7b961d9fcd4bbc6038804b458ba19bc36d0c09898286c181bb0dd1d25d51f8635ae');
INSERT INTO public.identities VALUES (1, '\xdc251de86106656ad810136d736d36645e1e4caa3812f744db06daa7bc167a2d', NULL);
INSERT INTO public.identities VALUES (4, '\xe0a9f107147176dc97a1fed7f483f959b2ecbbf7742cd0654787c27205085dc3', 2);
INSERT INTO public.identities VALUES (5, '\x48f0936794fff88bc64abfa4ee6963675870fb9a1970d631b3e535638524a84e', 2);
INSERT INTO public.identities VALUES (2, '\xd0b3a9eaf32015fda257a70cba11dbdcc06ae753300ffa0d2138681783a24eae', 1);
INSERT INTO public.identities VALUES (3, '\x87a3539080d76742e2b0fe0562b531eb3bb8ebbad1c62225ed115b960c2c27db', 1);
INSERT INTO public.identities VALUES (6, '\x5cc9c38d42f87e5526ab67492f6db7a4548947a41b201069df1eb31728db9fe0', 3);
INSERT INTO public.identities VALUES (7, '\x7a31302452f7b92a02278ecd1000d0f785882141666c610d6556ad5c5f9f0d0b', 3);
INSERT INTO public.revisions VALUES (1, '2026-11-19T05:50:06.947301');
INSERT INTO public.revisions VALUES (2, '2026-11-19T05:50:06.991529');
INSERT INTO public.revisions VALUES (3, '2026-11-19T05:50:07.012304');
INSERT INTO public.revisions VALUES (4, '2026-11-19T05:50:07.026317');
INSERT INTO public.revisions VALUES (5, '2026-11-19T05:50:07.045572');
INSERT INTO public.revisions VALUES (6, '2026-11-19T05:50:07.053513');
INSERT INTO public.revisions VALUES (7, '2026-11-19T05:50:07.056737');
INSERT INTO public.revisions VALUES (8, '2026-11-19T05:50:07.060722');
INSERT INTO public.revisions VALUES (9, '2026-11-19T05:50:07.067678');
INSERT INTO public.revisions VALUES (10, '2026-11-19T05:50:07.095826');
INSERT INTO public.revisions VALUES (11, '2026-11-19T05:50:07.105967');
INSERT INTO public.revisions VALUES (12, '2026-11-19T05:50:07.121413');
INSERT INTO public.revisions VALUES (13, '2026-11-19T05:50:07.147375');
INSERT INTO public.secrets VALUES ('282272d2-1ac5-450c-a1f4-fcf67d76910a', '\xce743d85a0da22cbbe279ecfa781cea8a8c17d53a18daecee605af3a6094c053', '\xc5139433131cfee3ff46237f5eab26e0f490a4c4ad6814e88e68c3a7a8b49afc6ac1580ba0a0f5912b122d21ccd7079dbe7991aff19165ffbc5764');
INSERT INTO public.secrets VALUES ('efbfa3ab-0666-4a5c-a4ca-a8eb4cefa77a', '\x846fa6af1b695769454fcc55abda04f4df8a245f05ed8050b7cc9c1f746844e0', '\xf87d8fc5309d8777ba36e456f43afa167a5094ec34f7d2b10b926d9964aeab7982f49d8070d5f6df6ba95abd81dd2c32d0c6fe5a88534b606ecc');
INSERT INTO public.tags VALUES (4, 'release', '{"by": "somebody", "number": 1}');
INSERT INTO public.tags VALUES (4, 'empty', '{}');
INSERT INTO public.tags VALUES (13, 'release', '{}');
INSERT INTO public.tokens VALUES ('reader', '\x6d965fb59006481102642f57d5e34da539b8e800df47629a7ee9fc55586b7d8c', 'read', '2026-11-19T05:49:57');
INSERT INTO public.tokens VALUES ('writer', '\x29d51b107843d920d68d5471e25098283bebe7083888e1bebde2e712f9028a8b', 'read write', '2026-11-19T05:50:00');
INSERT INTO public.tokens VALUES ('boss', '\xf786bc989adda2978a67b59145d1f22addaa8c897260cb29882a2ed728e715c7', 'admin', '2026-11-19T05:50:02');
INSERT INTO public.validations VALUES (1, 4, 'promenade', 'failure', '{"name": "p", "version": "1.0"}', '[{"message": "node bad"}]');
INSERT INTO public.validations VALUES (2, 4, 'promenade', 'success', '{"name": "p", "version": "1.1"}', '[]');
INSERT INTO public.validations VALUES (3, 4, 'unasked', 'success', '{"name": "q", "version": "1"}', '[]');
INSERT INTO public.validations VALUES (4, 13, 'promenade', 'success', '{"name": "p", "version": "1.1"}', '[]');
INSERT INTO public.writes VALUES (1, 1, 1, 1, '\x010000000000000002000000000000000300000000000000', '\x010000000000000001000000000000000100000000000000', '\x', 1, '\x');
INSERT INTO public.writes VALUES (2, 2, 2, 4, '\x04000000000000000500000000000000', '\x02000000000000000200000000000000', '\x', NULL, '\x0500000000000000');
INSERT INTO public.writes VALUES (3, 3, 3, 6, '\x06000000000000000700000000000000', '\x03000000000000000300000000000000', '\x', NULL, '\x');
INSERT INTO public.writes VALUES (4, 4, 2, 8, '\x08000000000000000500000000000000', '\x04000000000000000400000000000000', '\x', NULL, '\x0500000000000000');
INSERT INTO public.writes VALUES (5, 5, 2, 10, '\x0800000000000000', '\x0400000000000000', '\x0500000000000000', NULL, '\x0500000000000000');
INSERT INTO public.writes VALUES (6, 6, 2, 11, '\x0800000000000000', '\x0400000000000000', '\x', NULL, '\x');
INSERT INTO public.writes VALUES (7, 7, 2, 12, '\x', '\x', '\x0800000000000000', NULL, '\x');
INSERT INTO public.writes VALUES (8, 8, 4, 12, '\x0400000000000000', '\x0800000000000000', '\x', NULL, '\x');
INSERT INTO public.writes VALUES (9, 9, 1, 13, '\x010000000000000002000000000000000300000000000000', '\x040000000000000004000000000000000400000000000000', '\x', 1, '\x');
INSERT INTO public.writes VALUES (10, 9, 3, 16, '\x06000000000000000700000000000000', '\x04000000000000000400000000000000', '\x', NULL, '\x');
INSERT INTO public.writes VALUES (11, 9, 2, 18, '\x08000000000000000500000000000000', '\x09000000000000000900000000000000', '\x', NULL, '\x0500000000000000');
INSERT INTO public.writes VALUES (12, 9, 4, 20, '\x', '\x', '\x0400000000000000', NULL, '\x');
INSERT INTO public.writes VALUES (13, 10, 1, 20, '\x02000000000000000300000000000000', '\x04000000000000000400000000000000', '\x0100000000000000', NULL, '\x');
INSERT INTO public.writes VALUES (14, 11, 3, 22, '\x09000000000000000700000000000000', '\x0b000000000000000b00000000000000', '\x', NULL, '\x');
INSERT INTO public.writes VALUES (15, 12, 2, 24, '\x', '\x', '\x08000000000000000500000000000000', NULL, '\x0500000000000000');
INSERT INTO public.writes VALUES (16, 12, 1, 24, '\x', '\x', '\x02000000000000000300000000000000', NULL, '\x');
INSERT INTO public.writes VALUES (17, 12, 3, 24, '\x', '\x', '\x09000000000000000700000000000000', NULL, '\x');
INSERT INTO public.writes VALUES (18, 13, 2, 24, '\x08000000000000000500000000000000', '\x0d000000000000000d00000000000000', '\x', NULL, '\x0500000000000000');
INSERT INTO public.writes VALUES (19, 13, 1, 26, '\x02000000000000000300000000000000', '\x0d000000000000000d00000000000000', '\x', NULL, '\x');
INSERT INTO public.writes VALUES (20, 13, 3, 28, '\x09000000000000000700000000000000', '\x0d000000000000000d00000000000000', '\x', NULL, '\x');
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.buckets
    ADD CONSTRAINT buckets_name_key UNIQUE (name);
ALTER TABLE ONLY public.buckets
    ADD CONSTRAINT buckets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.contents
    ADD CONSTRAINT contents_key_key UNIQUE (key);
ALTER TABLE ONLY public.contents
    ADD CONSTRAINT contents_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.counters
    ADD CONSTRAINT counters_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_key_key UNIQUE (key);
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.revisions
    ADD CONSTRAINT revisions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.secrets
    ADD CONSTRAINT secrets_fingerprint_key UNIQUE (fingerprint);
ALTER TABLE ONLY public.secrets
    ADD CONSTRAINT secrets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.tags
    ADD CONSTRAINT tags_pkey PRIMARY KEY (revision, name);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.validations
    ADD CONSTRAINT validations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.writes
    ADD CONSTRAINT writes_pkey PRIMARY KEY (id);
CREATE INDEX validations_of_revision ON public.validations USING btree (revision, id);
CREATE INDEX writes_of_bucket ON public.writes USING btree (bucket, revision);
CREATE INDEX writes_of_revision ON public.writes USING btree (revision);
CREATE INDEX writes_with_policy ON public.writes USING btree (id) WHERE (layering_policy IS NOT NULL);
ALTER TABLE ONLY public.tags
    ADD CONSTRAINT tags_revision_fkey FOREIGN KEY (revision) REFERENCES public.revisions(id);
ALTER TABLE ONLY public.validations
    ADD CONSTRAINT validations_revision_fkey FOREIGN KEY (revision) REFERENCES public.revisions(id);
ALTER TABLE ONLY public.writes
    ADD CONSTRAINT writes_bucket_fkey FOREIGN KEY (bucket) REFERENCES public.buckets(id);
ALTER TABLE ONLY public.writes
    ADD CONSTRAINT writes_revision_fkey FOREIGN KEY (revision) REFERENCES public.revisions(id);
