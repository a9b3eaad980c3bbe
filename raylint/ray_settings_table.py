"""Names and types of Ray's settings, ``RAY_<name>`` in the environment, as the released packages have them.

Read off Ray 2.9.3, 2.40.0, 2.51.1 and 2.60.0 (Linux x86_64, Python 3.11): the names that the core's binaries
hold, with the type by which values the processes survive, and the names that the Python package converts. Long, so
that it is imported only where a manifest sets such a variable.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

__all__ = ["OBSOLETE", "SETTINGS", "SINCE"]

# Type, the releases that read the name (a digit each for 2.9, 2.40, 2.51, 2.60), the names. bool, int, float and
# text belong to the core; of the Python package's own, py... falls back to a default where a value does not
# convert, and "one" is on only where the value is 1 (Ray Serve).
SETTINGS: Final = (
    (
        "bool",
        "0001",
        """
        ENABLE_GCS_LEADER_ELECTION ENABLE_K8S_TOKEN_AUTH count_swap_in_memory_monitor
        disable_open_telemetry_sdk_log enable_ray_task_event_recorder enable_task_events_to_dashboard_head
        experimental_object_manager_enable_multiple_connections gcs_redis_payload_metrics_enabled
        redis_namespace_cleanup_use_unlink worker_killing_policy_by_group
    """,
    ),
    (
        "bool",
        "0011",
        """
        emit_main_service_metrics enable_core_worker_ray_event_to_aggregator enable_core_worker_task_event_to_gcs
        enable_infeasible_task_early_exit enable_open_telemetry enable_output_error_log_if_still_retry
        enable_ray_event process_group_cleanup_enabled record_task_actor_creation_sites
        start_python_gc_manager_thread testing_rpc_failure_avoid_intra_node_failures
    """,
    ),
    (
        "bool",
        "0111",
        """
        enable_export_api_write kill_child_processes_on_worker_exit_with_raylet_subreaper
    """,
    ),
    (
        "bool",
        "1000",
        """
        actor_register_async kill_idle_workers_of_terminated_job legacy_scheduler_warnings
        worker_resource_limits_enabled
    """,
    ),
    (
        "bool",
        "1100",
        """
        enable_reap_actor_death event_stats_metrics inline_object_status_in_refs
        isolate_workers_across_resource_types isolate_workers_across_task_types start_python_importer_thread
    """,
    ),
    (
        "bool",
        "1110",
        """
        gcs_actor_scheduling_enabled
    """,
    ),
    (
        "bool",
        "1111",
        """
        USE_TLS automatic_object_spilling_enabled emit_event_to_log_file enable_autoscaler_v2 enable_cluster_auth
        enable_metrics_collection enable_pipe_based_agent_to_parent_health_check enable_timeline
        enable_worker_prestart event_log_reporter_enabled event_stats grpc_enable_http_proxy
        is_external_storage_type_fs kill_child_processes_on_worker_exit lineage_pinning_enabled
        locality_aware_leasing_enabled preallocate_plasma_memory prestart_worker_first_driver
        raylet_core_dump_exclude_plasma_store record_ref_creation_sites report_actor_placement_resources
        runtime_env_skip_local_gc scheduler_avoid_gpu_nodes scheduler_report_pinned_bytes_only support_fork
        task_events_skip_driver_for_test worker_cap_enabled worker_core_dump_exclude_plasma_store
        yield_plasma_lock_workaround
    """,
    ),
    (
        "float",
        "0001",
        """
        plasma_store_usage_trigger_gc_threshold user_memory_proportion_high user_memory_proportion_max
    """,
    ),
    (
        "float",
        "1110",
        """
        high_plasma_storage_usage
    """,
    ),
    (
        "float",
        "1111",
        """
        gcs_create_placement_group_retry_multiplier local_fs_capacity_threshold max_task_args_memory_fraction
        memory_usage_threshold object_spilling_threshold scheduler_spread_threshold scheduler_top_k_fraction
    """,
    ),
    (
        "int",
        "0001",
        """
        actor_graceful_shutdown_timeout_ms cancelled_lease_tombstone_ttl_ms core_worker_num_server_call_thread
        free_local_objects_backlog_warn_objects_per_node gcs_resource_broadcast_max_batch_delay_ms
        gcs_resource_broadcast_max_batch_size gcs_rocksdb_io_pool_size gcs_rocksdb_strand_buckets
        idle_worker_killing_memory_threshold_bytes io_context_monitor_healthy_deadline_ms
        io_context_monitor_latency_window_ms io_context_monitor_probe_interval_ms max_cancelled_lease_tombstones
        max_free_local_objects_batch_size max_kill_memory_buffer_bytes max_spilling_file_size_bytes
        maximum_actor_previous_incarnations maximum_gcs_dead_worker_cached_count pop_worker_max_retries
        redis_db_probe_timeout_milliseconds report_worker_backlog_interval_ms system_memory_bytes_min
        task_actor_unavailable_retry_delay_base_ms task_actor_unavailable_retry_max_delay_ms
        task_events_gc_job_summary_interval_ms task_events_shutdown_flush_timeout_ms
    """,
    ),
    (
        "int",
        "0010",
        """
        gcs_global_gc_interval_milliseconds
    """,
    ),
    (
        "int",
        "0011",
        """
        actor_scheduling_queue_max_reorder_wait_seconds core_worker_rpc_server_reconnect_timeout_base_s
        core_worker_rpc_server_reconnect_timeout_max_s get_check_signal_interval_milliseconds
        grpc_client_check_connection_status_interval_milliseconds pipe_logger_read_buf_size
        ray_event_recorder_max_queued_events ray_events_report_interval_ms
        raylet_check_for_unexpected_worker_disconnect_interval_ms raylet_rpc_server_reconnect_timeout_base_s
        raylet_rpc_server_reconnect_timeout_max_s worker_num_grpc_internal_threads
    """,
    ),
    (
        "int",
        "0111",
        """
        export_task_events_write_batch_size grpc_client_idle_timeout_ms
        io_context_event_loop_lag_collection_interval_ms
        task_events_max_num_export_status_events_buffer_on_worker
    """,
    ),
    (
        "int",
        "1000",
        """
        actor_creation_min_retries gcs_failover_worker_reconnect_timeout num_resource_report_periods_warning
    """,
    ),
    (
        "int",
        "1100",
        """
        gcs_client_check_connection_status_interval_milliseconds gcs_service_address_check_interval_milliseconds
        get_timeout_milliseconds max_sync_message_batch_bytes ray_syncer_polling_buffer
        raylet_get_agent_info_interval_ms reconstruct_objects_period_milliseconds resource_broadcast_batch_size
        task_events_dropped_task_attempts_gc_threshold_s worker_get_request_size
    """,
    ),
    (
        "int",
        "1110",
        """
        gcs_max_concurrent_resource_pulls gcs_resource_report_poll_period_ms gcs_service_connect_retries
        internal_gcs_service_connect_wait_milliseconds minimum_gcs_reconnect_interval_milliseconds
        raylet_fetch_timeout_milliseconds
    """,
    ),
    (
        "int",
        "1111",
        """
        actor_excess_queueing_warn_threshold agent_manager_retry_interval_ms agent_max_grpc_message_size
        agent_register_timeout_ms cancellation_retry_ms core_worker_internal_heartbeat_ms
        debug_dump_period_milliseconds event_stats_print_interval_ms fetch_fail_timeout_milliseconds
        fetch_warn_timeout_milliseconds free_objects_batch_size free_objects_period_milliseconds
        gcs_actor_table_min_duration_ms gcs_create_actor_retry_interval_ms
        gcs_create_placement_group_retry_max_interval_ms gcs_create_placement_group_retry_min_interval_ms
        gcs_grpc_initial_reconnect_backoff_ms gcs_grpc_max_reconnect_backoff_ms
        gcs_grpc_max_request_queued_max_bytes gcs_grpc_min_reconnect_backoff_ms
        gcs_lease_worker_retry_interval_ms gcs_mark_task_failed_on_job_done_delay_ms
        gcs_mark_task_failed_on_worker_dead_delay_ms gcs_max_active_rpcs_per_handler
        gcs_pull_resource_loads_period_milliseconds gcs_redis_heartbeat_interval_milliseconds
        gcs_rpc_server_connect_timeout_s gcs_rpc_server_reconnect_timeout_s gcs_server_request_timeout_seconds
        gcs_server_rpc_client_thread_num gcs_server_rpc_server_thread_num global_gc_min_interval_s
        grpc_client_keepalive_time_ms grpc_client_keepalive_timeout_ms grpc_keepalive_time_ms
        grpc_keepalive_timeout_ms grpc_server_retry_timeout_milliseconds grpc_stream_buffer_size
        handler_warning_timeout_ms health_check_failure_threshold health_check_initial_delay_ms
        health_check_period_ms health_check_timeout_ms idle_worker_killing_time_threshold_ms
        kill_idle_workers_interval_ms kill_worker_timeout_milliseconds local_fs_monitor_interval_ms
        local_gc_interval_s local_gc_min_interval_s log_rotation_backup_count log_rotation_max_bytes
        max_command_batch_size max_direct_call_object_size max_error_msg_size_bytes max_fused_object_count
        max_grpc_message_size max_io_workers max_lineage_bytes max_num_generator_returns
        max_object_report_batch_size max_pending_lease_requests_per_scheduling_category
        max_placement_group_load_report_size max_resource_shapes_per_load_report
        maximum_gcs_dead_node_cached_count maximum_gcs_deletion_batch_size
        maximum_gcs_destroyed_actor_cached_count maximum_gcs_storage_operation_batch_size
        memory_monitor_refresh_ms metrics_report_batch_size metrics_report_interval_ms min_memory_free_bytes
        min_spilling_size num_redis_request_retries num_server_call_thread num_workers_soft_limit
        nums_py_gcs_reconnect_retry object_manager_client_connection_num object_manager_default_chunk_size
        object_manager_max_bytes_in_flight object_manager_pull_timeout_ms object_manager_push_timeout_ms
        object_manager_rpc_threads_num object_manager_timer_freq_ms object_store_full_delay_ms
        object_store_get_max_ids_to_print_in_warning object_timeout_milliseconds oom_grace_period_s
        publish_batch_size publisher_entity_buffer_max_bytes py_gcs_connect_timeout_s ray_cookie
        ray_syncer_message_refresh_interval_ms raylet_check_gc_period_milliseconds
        raylet_client_connect_timeout_milliseconds raylet_client_num_connect_attempts
        raylet_death_check_interval_milliseconds raylet_liveness_self_check_interval_ms
        raylet_report_resources_period_milliseconds raylet_start_wait_time_s redis_db_connect_retries
        redis_db_connect_wait_milliseconds redis_retry_base_ms redis_retry_max_ms redis_retry_multiplier
        scheduler_top_k_absolute subscriber_timeout_ms task_events_dropped_task_attempt_batch_size
        task_events_max_dropped_task_attempts_tracked_per_job_in_gcs
        task_events_max_num_profile_events_buffer_on_worker task_events_max_num_profile_events_per_task
        task_events_max_num_status_events_buffer_on_worker task_events_max_num_task_in_gcs
        task_events_report_interval_ms task_events_send_batch_size task_failure_entry_ttl_ms task_oom_retries
        task_oom_retry_delay_base_ms task_retry_delay_ms task_rpc_inlined_bytes_limit
        timeout_ms_task_wait_for_death_info verbose_spill_logs worker_cap_initial_backoff_delay_ms
        worker_cap_max_backoff_delay_ms worker_fetch_request_size worker_lease_timeout_milliseconds
        worker_max_resource_analysis_iteration worker_maximum_startup_concurrency worker_niceness
        worker_oom_score_adjustment worker_register_timeout_seconds
    """,
    ),
    (
        "one",
        "0001",
        """
        SERVE_COLUMNAR_AUTOSCALING_METRICS SERVE_COMPACT_LONG_POLL_METRIC_TAGS
        SERVE_CONTROLLER_METRICS_INCLUDE_HIGH_CARDINALITY_TAGS SERVE_ENABLE_DIRECT_INGRESS
        SERVE_ENABLE_HAPROXY_OPTIMIZED_CONFIG SERVE_ENABLE_HA_PROXY SERVE_FREEZE_GC_ON_STARTUP
        SERVE_HAPROXY_METRICS_ENABLED SERVE_HAPROXY_OBSERVE_MARK_DOWN_ENABLED SERVE_HAPROXY_TCP_NODELAY
        SERVE_INGRESS_REQUEST_ROUTER_FORWARD_BODY SERVE_INGRESS_REQUEST_ROUTER_METRICS_ENABLED
        SERVE_LOG_CLIENT_ADDRESS SERVE_PROXY_USE_GRPC SERVE_STOP_FAILED_ROLLING_UPDATES SERVE_USE_GRPC_BY_DEFAULT
        SERVE_USE_PACK_SCHEDULING_STRATEGY
    """,
    ),
    (
        "one",
        "0010",
        """
        SERVE_AGGREGATE_METRICS_AT_CONTROLLER SERVE_DISABLE_SHUTTING_DOWN_INGRESS_REPLICAS_FORCEFULLY
    """,
    ),
    (
        "one",
        "0011",
        """
        SERVE_ENABLE_PROXY_GC_OPTIMIZATIONS SERVE_FAIL_ON_RANK_ERROR SERVE_RUN_ROUTER_IN_SEPARATE_LOOP
        SERVE_RUN_SYNC_IN_THREADPOOL SERVE_RUN_USER_CODE_IN_SEPARATE_THREAD SERVE_THROUGHPUT_OPTIMIZED
    """,
    ),
    (
        "one",
        "0100",
        """
        SERVE_EAGERLY_START_REPLACEMENT_REPLICAS SERVE_ENABLE_QUEUE_LENGTH_CACHE
        SERVE_ENABLE_STRICT_MAX_ONGOING_REQUESTS
    """,
    ),
    (
        "one",
        "0110",
        """
        SERVE_ALWAYS_RUN_PROXY_ON_HEAD_NODE
    """,
    ),
    (
        "one",
        "0111",
        """
        SERVE_COLLECT_AUTOSCALING_METRICS_ON_HANDLE SERVE_ENABLE_TASK_EVENTS SERVE_FORCE_LOCAL_TESTING_MODE
        SERVE_LOG_TO_STDERR SERVE_USE_COMPACT_SCHEDULING_STRATEGY
    """,
    ),
    (
        "one",
        "1000",
        """
        SERVE_ENABLE_NEW_HANDLE_API
    """,
    ),
    (
        "one",
        "1100",
        """
        SERVE_ENABLE_CPU_PROFILING
    """,
    ),
    (
        "one",
        "1110",
        """
        SERVE_ENABLE_JSON_LOGGING
    """,
    ),
    (
        "one",
        "1111",
        """
        SERVE_ENABLE_MEMORY_PROFILING SERVE_FORCE_STOP_UNHEALTHY_REPLICAS SERVE_PROXY_PREFER_LOCAL_AZ_ROUTING
        SERVE_PROXY_PREFER_LOCAL_NODE_ROUTING
    """,
    ),
    (
        "pybool",
        "0001",
        """
        DASHBOARD_AGENT_LOOP_MONITOR_ENABLED DASHBOARD_AGGREGATOR_AGENT_PRESERVE_PROTO_FIELD_NAME
        DASHBOARD_AGGREGATOR_AGENT_PUBLISH_EVENTS_TO_EXTERNAL_HTTP_SERVICE
        DASHBOARD_AGGREGATOR_AGENT_PUBLISH_EVENTS_TO_GCS DASHBOARD_ENABLE_PROFILING
        DASHBOARD_PROFILING_IDLE_DEFAULT DASHBOARD_PROFILING_LEAKS_DEFAULT DASHBOARD_PROFILING_NATIVE_DEFAULT
        DASHBOARD_PROFILING_SUBPROCESSES_DEFAULT DASHBOARD_PROFILING_TRACE_PYTHON_ALLOCATORS_DEFAULT
        DASHBOARD_REDACT_RUNTIME_ENV DATA_AUTOLOAD_PICKLE_OBJECT_SCALAR
        DATA_AUTOSCALING_COORDINATOR_LOG_TRACEBACK DATA_DEFAULT_BATCH_TO_BLOCK_ARROW_FORMAT
        DATA_DEFAULT_MAP_LOGICAL_MEMORY_ENABLED DATA_DISABLE_AUTOSCALER_LOGGING
        DATA_ENABLE_ARROW_BACKED_PANDAS_CONVERSION DATA_ENABLE_CHUNKED_TENSOR_TAKE DATA_ENABLE_DISK_SHUFFLE
        DATA_ENABLE_DYNAMIC_OUTPUT_QUEUE_SIZE_BACKPRESSURE DATA_ENABLE_EXTERNAL_SHUFFLE
        DATA_ENABLE_LINEAGE_RECONSTRUCTION_RESOURCE_ACCOUNTING DATA_ENABLE_STATS_SUMMARY_COLLECTION
        DATA_ISOLATE_READ_WORKERS DATA_LOG_INTERNAL_STACK_TRACE DATA_METADATA_PREFETCH_ON_THREAD
        DATA_PARQUET_FOOTER_SPLIT_COALESCED DATA_PARQUET_READER_FRAGMENT_USE_BUFFERED_STREAM
        DATA_USE_DATASOURCE_V2 DATA_USE_LEGACY_DATASET_IDS DATA_WEBDATASET_ALLOW_UNSAFE_DESERIALIZATION
        DISABLE_FAILURE_SIGNAL_HANDLER DISABLE_WORKER_LOG_PREFIX ENABLE_ZERO_COPY_TORCH_TENSORS
        EXPERIMENTAL_NOSET_FURIOSA_DEVICES EXPERIMENTAL_NOSET_MBLT_RT_VISIBLE_DEVICES
        EXPERIMENTAL_NOSET_TENSTORRENT_VISIBLE_DEVICES EXPERIMENTAL_NOSET_ZE_AFFINITY_MASK FLUSH_DRIVER_LOGS
        SKIP_PROCESS_UTIL_API TRAIN_ENABLE_NCCL_HANG_DETECTOR TRAIN_ENABLE_PREEMPTION_WATCHER USE_UVLOOP
    """,
    ),
    (
        "pybool",
        "0011",
        """
        ACCEL_ENV_VAR_OVERRIDE_ON_ZERO DATA_ENABLE_TENSOR_EXTENSION_CASTING DATA_ENFORCE_SCHEMAS
        DATA_PANDAS_BLOCK_IGNORE_METADATA ENABLE_UV_RUN_RUNTIME_ENV TRAIN_ENABLE_CONTROLLER_STRUCTURED_LOGGING
        TRAIN_ENABLE_PRINT_PATCH TRAIN_ENABLE_STATE_ACTOR_RECONCILIATION TRAIN_ENABLE_V2_MIGRATION_WARNINGS
        TRAIN_ENABLE_WORKER_STRUCTURED_LOGGING TRAIN_METRICS_ENABLED TRAIN_V2_ENABLED
        WARN_BLOCKING_GET_INSIDE_ASYNC
    """,
    ),
    (
        "pybool",
        "0100",
        """
        JOB_AGENT_USE_HEAD_NODE_ONLY
    """,
    ),
    (
        "pybool",
        "0111",
        """
        BACKEND_LOG_JSON DATA_AUTOLOAD_PYEXTENSIONTYPE DATA_ENABLE_OP_RESOURCE_RESERVATION
        DATA_ENABLE_PROGRESS_BAR_NAME_TRUNCATION DATA_LOG_INTERNAL_STACK_TRACE_TO_STDOUT
        DATA_RAISE_ORIGINAL_MAP_EXCEPTION DATA_USE_ARROW_TENSOR_V2 EXPORT_COUNTER_AS_GAUGE
        EXPORT_EVENT_MAX_BACKUP_COUNT EXPORT_EVENT_MAX_FILE_SIZE_BYTES LOG_TO_DRIVER
        allow_out_of_band_object_ref_serialization
    """,
    ),
    (
        "pybool",
        "1111",
        """
        DASHBOARD_NO_CACHE DEDUP_LOGS ENABLE_RECORD_ACTOR_TASK_LOGGING ENABLE_WINDOWS_OR_OSX_CLUSTER
    """,
    ),
    (
        "pyfloat",
        "0001",
        """
        DASHBOARD_AGENT_LOOP_DUMP_COOLDOWN_S DASHBOARD_AGENT_LOOP_LAG_WARN_THRESHOLD_S
        DASHBOARD_AGENT_LOOP_MONITOR_INTERVAL_S DASHBOARD_AGENT_LOOP_STALL_DUMP_THRESHOLD_S
        DASHBOARD_AGGREGATOR_AGENT_CHECK_MAIN_THREAD_LIVENESS_INTERVAL_SECONDS
        DASHBOARD_SUBPROCESS_MODULE_GRACEFUL_SHUTDOWN_TIMEOUT DASHBOARD_SUBPROCESS_MODULE_JOIN_TIMEOUT
        DATA_CLUSTER_SCALING_UP_UTIL_THRESHOLD DATA_CONCURRENCY_CAP_AVAILABLE_OBJECT_STORE_BUDGET_THRESHOLD
        DATA_CONCURRENCY_CAP_BACKOFF_FACTOR DATA_CONCURRENCY_CAP_EWMA_ALPHA DATA_CONCURRENCY_CAP_K_DEV
        DATA_CONCURRENCY_CAP_RAMPUP_FACTOR DATA_DEFAULT_CLUSTER_SCALING_UP_CPU_UTIL_THRESHOLD
        DATA_DEFAULT_CLUSTER_SCALING_UP_FACTOR DATA_DEFAULT_CLUSTER_SCALING_UP_GPU_UTIL_THRESHOLD
        DATA_DEFAULT_CLUSTER_SCALING_UP_MAX_CPU_RESOURCE_DELTA
        DATA_DEFAULT_CLUSTER_SCALING_UP_MAX_GPU_RESOURCE_DELTA
        DATA_DEFAULT_CLUSTER_SCALING_UP_MAX_MEMORY_RESOURCE_DELTA
        DATA_DEFAULT_CLUSTER_SCALING_UP_MEMORY_UTIL_THRESHOLD
        DATA_DEFAULT_CLUSTER_SCALING_UP_OBJECT_STORE_MEMORY_UTIL_THRESHOLD
        DATA_DEFAULT_OUTPUT_SPLITTER_MAX_BUFFERING_FACTOR DATA_DOWNSTREAM_CAPACITY_BACKPRESSURE_RATIO
        DATA_DOWNSTREAM_CAPACITY_OBJECT_STORE_BUDGET_UTIL_THRESHOLD DATA_EXECUTION_NO_PROGRESS_TIMEOUT_S
        DATA_HASH_SHUFFLE_REDUCE_GET_TIMEOUT_S DATA_LOW_UTIL_REQUEST_RELEASE_DELAY_S
        DATA_MEMORY_ESTIMATION_SAMPLE_RATIO DATA_OBJECT_STORE_MEMORY_PRESSURE_FRACTION
        DATA_OBJECT_STORE_RESERVATION_OVERSHOOT_RATIO DATA_OUTPUT_BACKPRESSURE_GUARD_RELEASE_INTERVAL_S
        DATA_STARVATION_WARNING_DELAY_S GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S GRACEFUL_SHUTDOWN_POLL_INTERVAL_S
        TRAIN_CHECKPOINT_UPLOAD_WARN_INTERVAL_S TRAIN_COLLECTIVE_TIMEOUT_S TRAIN_COLLECTIVE_WARN_INTERVAL_S
        TRAIN_NCCL_RAS_CONFIRM_DURATION_S TRAIN_NCCL_RAS_MIN_POLL_INTERVAL_S
    """,
    ),
    (
        "pyfloat",
        "0010",
        """
        GC_MIN_COLLECT_INTERVAL_S TRAIN_REPORT_BARRIER_TIMEOUT_S TRAIN_REPORT_BARRIER_WARN_INTERVAL_S
    """,
    ),
    (
        "pyfloat",
        "0011",
        """
        DASHBOARD_SUBPROCESS_MODULE_WAIT_READY_TIMEOUT DATA_DEFAULT_ACTOR_POOL_UTIL_DOWNSCALING_THRESHOLD
        DATA_DEFAULT_ACTOR_POOL_UTIL_UPSCALING_THRESHOLD DATA_OBJECT_STORE_MEMORY_LIMIT_FRACTION
        DEFAULT_MAX_SYSTEM_RESERVED_CPU_CORES DEFAULT_MIN_SYSTEM_RESERVED_CPU_CORES
        DEFAULT_SYSTEM_RESERVED_CPU_PROPORTION DEFAULT_SYSTEM_RESERVED_MEMORY_PROPORTION
    """,
    ),
    (
        "pyfloat",
        "0111",
        """
        DEFAULT_OBJECT_STORE_MEMORY_PROPORTION
    """,
    ),
    (
        "pyint",
        "0001",
        """
        AUTOSCALER_AVAILABILITY_RECOVERY_S AUTOSCALER_PENDING_NODE_IDLE_TIMEOUT_S
        CLIENT_INITIAL_CONNECTION_TIMEOUT_S CLIENT_MAX_CONNECTION_TIMEOUT_S CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S
        DASHBOARD_AGGREGATOR_AGENT_MAX_EVENT_BUFFER_SIZE DASHBOARD_AGGREGATOR_AGENT_MAX_EVENT_SEND_BATCH_SIZE
        DASHBOARD_AGGREGATOR_AGENT_THREAD_POOL_EXECUTOR_MAX_WORKERS DASHBOARD_PROFILING_CPU_DURATION_DEFAULT
        DASHBOARD_PROFILING_MAX_DURATION_S DASHBOARD_PROFILING_MEMORY_DURATION_DEFAULT
        DASHBOARD_STARTUP_TIMEOUT_S DATA_ACTOR_DEFAULT_MAX_TASKS_IN_FLIGHT_TO_MAX_CONCURRENCY_FACTOR
        DATA_ARROW_EXTENSION_SERIALIZATION_CLOUDPICKLE DATA_ARROW_SCANNER_BATCH_READAHEAD
        DATA_AUTOSCALING_REQUEST_EXPIRE_TIME_S DATA_CLUSTER_SCALING_UP_DELTA DATA_CLUSTER_UTIL_AVG_WINDOW_S
        DATA_DEFAULT_ACTOR_POOL_MAX_UPSCALING_DELTA DATA_DEFAULT_BATCH_SIZE_BYTES
        DATA_DEFAULT_COLLATE_FN_THREADPOOL_MAX_WORKERS DATA_DELTA_COMMIT_MAX_ATTEMPTS
        DATA_DELTA_COMMIT_RETRY_MAX_BACKOFF_S DATA_DOWNLOAD_METADATA_CHUNK_SIZE
        DATA_DOWNLOAD_PARTITION_MAX_ACTORS DATA_DOWNLOAD_PARTITION_NUM_BUCKETS DATA_DOWNLOAD_URI_SHARD_NUM_ROWS
        DATA_HASH_SHUFFLE_REDUCE_BATCH_SIZE DATA_ICEBERG_CATALOG_MAX_ATTEMPTS
        DATA_ICEBERG_CATALOG_RETRY_MAX_BACKOFF_S DATA_ICEBERG_WRITE_FILE_MAX_ATTEMPTS
        DATA_ICEBERG_WRITE_FILE_RETRY_MAX_BACKOFF_S DATA_LANCE_READ_FRAGMENTS_MAX_ATTEMPTS
        DATA_LANCE_READ_FRAGMENTS_RETRY_MAX_BACKOFF_S DATA_LANCE_WRITE_FRAGMENTS_MAX_ATTEMPTS
        DATA_LANCE_WRITE_FRAGMENTS_RETRY_MAX_BACKOFF_S DATA_LIST_FILES_QUEUE_SIZE_PER_THREAD
        DATA_LIST_FILES_THREADED_NUM_WORKERS DATA_MAX_CONSECUTIVE_ACTOR_INIT_DEATHS
        DATA_MAX_FORMAT_THREADPOOL_NUM_WORKERS DATA_MAX_PATHS_PER_LIST_FILES_OUTPUT
        DATA_MEMORY_ESTIMATION_SAMPLE_MAX_BUNDLES DATA_MEMORY_ESTIMATION_SAMPLE_MIN_BUNDLES
        DATA_MIN_GAP_BETWEEN_AUTOSCALING_REQUESTS DATA_NON_TTY_PROGRESS_LOG_INTERVAL
        DATA_PARQUET_BIN_PACKING_BYTES DATA_PARQUET_BIN_PACKING_MAX_SHARED_OPEN_BINS
        DATA_PARQUET_FOOTER_BATCH_SIZE DATA_PARQUET_FOOTER_COALESCE_BYTES DATA_PARQUET_FOOTER_IO_CONCURRENCY
        DATA_PARQUET_FOOTER_MAX_INFLIGHT_BATCHES DATA_PARQUET_FOOTER_NUM_ACTORS
        DATA_PARQUET_FOOTER_RESULT_BATCH_SIZE DATA_PARQUET_FRAGMENT_BUFFER_SIZE
        DATA_PARQUET_READER_BATCH_READAHEAD DATA_PARQUET_READER_COUNT_ROWS_BATCH_SIZE
        DATA_PARQUET_READER_CPU_COUNT DATA_PARQUET_READER_FRAGMENT_READAHEAD
        DATA_PARQUET_READER_FRAGMENT_SCAN_BUFFER_SIZE DATA_PARQUET_READER_IO_THREAD_COUNT
        DATA_SHUFFLE_INPUT_BATCH_BYTES DEFAULT_USER_PHYSICAL_LOGICAL_MEMORY_LIMIT_BUFFER_BYTES
        EXTENSION_SERIALIZATION_CACHE_MAXSIZE MAX_APPLICATION_ERROR_LENGTH NIXL_REMOTE_AGENT_CACHE_MAXSIZE
        rdt_fetch_fail_timeout_milliseconds
    """,
    ),
    (
        "pyint",
        "0011",
        """
        DATA_ARROW_MAX_CHUNK_SIZE_BYTES DATA_DEFAULT_ASYNC_BATCH_UDF_MAX_CONCURRENCY
        DATA_DEFAULT_ASYNC_ROW_UDF_MAX_CONCURRENCY DATA_DEFAULT_HASH_SHUFFLE_AGGREGATOR_MAX_CONCURRENCY
        DATA_DEFAULT_HASH_SHUFFLE_AGGREGATOR_MEMORY_ALLOCATION DATA_DEFAULT_MIN_PARALLELISM
        DATA_ENABLE_RICH_PROGRESS_BARS DATA_HASH_SHUFFLE_AGGREGATOR_HEALTH_WARNING_INTERVAL_S
        DATA_MAX_HASH_SHUFFLE_AGGREGATORS DATA_MAX_UNCOMPACTED_SIZE_BYTES
        DATA_MIN_HASH_SHUFFLE_AGGREGATOR_WAIT_TIME_IN_S DATA_MIN_NUM_CHUNKS_TO_TRIGGER_COMBINE_CHUNKS
        DEFAULT_MAX_SYSTEM_RESERVED_MEMORY_BYTES DEFAULT_MIN_SYSTEM_RESERVED_MEMORY_BYTES
        SYMMETRIC_RUN_CLUSTER_WAIT_TIMEOUT
    """,
    ),
    (
        "pyint",
        "0111",
        """
        AUTOSCALER_RECONCILE_ALLOCATE_STATUS_TIMEOUT_S AUTOSCALER_RECONCILE_MAX_NUM_RETRY_REQUEST_TO_ALLOCATE
        AUTOSCALER_RECONCILE_RAY_INSTALL_STATUS_TIMEOUT_S
        AUTOSCALER_RECONCILE_RAY_STOP_REQUESTED_STATUS_TIMEOUT_S AUTOSCALER_RECONCILE_REQUEST_STATUS_TIMEOUT_S
        AUTOSCALER_RECONCILE_TERMINATING_STATUS_TIMEOUT_S AUTOSCALER_RECONCILE_TRANSIENT_STATUS_WARN_INTERVAL_S
        DASHBOARD_AGENT_POLL_INTERVAL_S DASHBOARD_DASHBOARD_HEAD_TPE_MAX_WORKERS
        DASHBOARD_EVENT_AGENT_TPE_MAX_WORKERS DASHBOARD_EVENT_HEAD_TPE_MAX_WORKERS
        DASHBOARD_GCS_RPC_TIMEOUT_SECONDS DASHBOARD_HEAD_NODE_REGISTRATION_TIMEOUT
        DASHBOARD_NODE_HEAD_TPE_MAX_WORKERS DASHBOARD_NODE_SUBSCRIBER_POLL_SIZE
        DASHBOARD_REPORTER_AGENT_TPE_MAX_WORKERS DASHBOARD_REPORTER_HEAD_TPE_MAX_WORKERS
        DASHBOARD_STATE_HEAD_TPE_MAX_WORKERS DASHBOARD_STATS_PURGING_INTERVAL DASHBOARD_STATS_UPDATING_INTERVAL
        DATA_DEFAULT_WAIT_FOR_MIN_ACTORS_S DEFAULT_OBJECT_STORE_MAX_MEMORY_BYTES TRAIN_ENABLE_STATE_TRACKING
    """,
    ),
    (
        "pyint",
        "1100",
        """
        DASHBOARD_RPC_PORT
    """,
    ),
    (
        "pyint",
        "1111",
        """
        DASHBOARD_AGENT_CHECK_PARENT_INTERVAL_S DASHBOARD_LOG_TASK_LOG_SEARCH_MAX_WORKER_COUNT
        DATA_DISABLE_PROGRESS_BARS DEDUP_LOGS_AGG_WINDOW_S DISABLE_DASHBOARD_LOG_INFO ENABLE_CLUSTER_STATUS_LOG
        MAX_LIMIT_FROM_API_SERVER MAX_LIMIT_FROM_DATA_SOURCE SCHEDULER_EVENTS STATE_SERVER_MAX_HTTP_REQUEST
        TPU_MAX_CONCURRENT_ACTIVE_CONNECTIONS
    """,
    ),
    (
        "pytext",
        "0001",
        """
        gcs_server_port_wait_time_s
    """,
    ),
    (
        "pytext",
        "0011",
        """
        AIR_DEFAULT_TENSOR_NON_BLOCKING_TRANSFER EXPERIMENTAL_NOSET_HIP_VISIBLE_DEVICES
        EXPERIMENTAL_NOSET_RBLN_RT_VISIBLE_DEVICES
    """,
    ),
    (
        "pytext",
        "0111",
        """
        DATA_DEBUG_RESOURCE_MANAGER EXPERIMENTAL_NOSET_ASCEND_RT_VISIBLE_DEVICES
    """,
    ),
    (
        "pytext",
        "1111",
        """
        CHDIR_TO_TRIAL_DIR CLIENT_MAX_BLOCKING_OPERATION_TIME_S EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES
        EXPERIMENTAL_NOSET_HABANA_VISIBLE_MODULES EXPERIMENTAL_NOSET_NEURON_RT_VISIBLE_CORES
        EXPERIMENTAL_NOSET_TPU_VISIBLE_CHIPS ROTATION_BACKUP_COUNT ROTATION_MAX_BYTES
    """,
    ),
    (
        "text",
        "0001",
        """
        AUTH_MODE gcs_storage_path
    """,
    ),
    (
        "text",
        "0011",
        """
        enable_export_api_write_config metric_cardinality_level object_spilling_directory
    """,
    ),
    (
        "text",
        "0111",
        """
        system_concurrency_group_name testing_rpc_failure
    """,
    ),
    (
        "text",
        "1100",
        """
        worker_killing_policy
    """,
    ),
    (
        "text",
        "1111",
        """
        REDIS_CA_CERT REDIS_CA_PATH REDIS_CLIENT_CERT REDIS_CLIENT_KEY REDIS_SERVER_NAME TLS_CA_CERT
        TLS_SERVER_CERT TLS_SERVER_KEY custom_unit_instance_resources enable_grpc_metrics_collection_for
        event_level external_storage_namespace gcs_storage object_spilling_config
        predefined_unit_instance_resources preload_python_modules testing_asio_delay_us
    """,
    ),
)

# The first release of names that came in between.
SINCE: Final = {
    "AUTH_MODE": (2, 52),
    "ENABLE_GCS_LEADER_ELECTION": (2, 59),
    "ENABLE_K8S_TOKEN_AUTH": (2, 52),
    "gcs_rocksdb_io_pool_size": (2, 57),
    "gcs_rocksdb_strand_buckets": (2, 57),
    "gcs_storage_path": (2, 57),
    "redis_db_probe_timeout_milliseconds": (2, 56),
    "redis_namespace_cleanup_use_unlink": (2, 59),
}

# Names of the past, still seen, that no release from 2.9 on reads.
OBSOLETE: Final = (
    "num_heartbeats_timeout",
    "raylet_heartbeat_timeout_milliseconds",
    "raylet_heartbeat_period_milliseconds",
    "memory_monitor_interval_ms",
    "memory_usage_threshold_fraction",
)
